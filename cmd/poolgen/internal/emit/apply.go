package emit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Apply makes the output folders hold what was generated, all of it or nothing: every new content is first
// written to a temporary file in its own folder, then all are renamed into place, then orphans are removed. Until the first
// rename a failure leaves the folders as they were; after it, the previous contents are put back. Files that
// are as generated are not touched.
//
// Another process sees each file either as it was or as it will be. Two processes that generate the same
// folder at once leave one of two complete results for each file.
func Apply(sets ...Changes) error {
	return apply(sets, disk{})
}

// filesystem is the part of the disk whose failures Apply has to survive. Tests put faults in.
type filesystem interface {
	write(root *os.Root, name string, content []byte) error // a file that does not exist yet
	rename(root *os.Root, from, to string) error
	remove(root *os.Root, name string) error
}

const (
	tempPrefix = ".poolgen-" // the go command ignores files whose names start with a dot
	tempSuffix = ".tmp"
	// A temporary file this old was left by a poolgen that was killed: Apply takes well under a second.
	abandoned = time.Hour
)

func apply(sets []Changes, disk filesystem) error {
	var all []*transaction
	defer func() {
		for _, t := range all {
			t.cleanUp()
		}
	}()
	for _, set := range sets {
		if len(set.Drift()) == 0 {
			continue
		}
		t, err := stage(set, disk)
		if t != nil {
			all = append(all, t)
		}
		if err != nil {
			return err
		}
	}
	for i, t := range all {
		if err := t.commit(); err != nil {
			return errors.Join(append([]error{err}, rollBack(all[:i+1])...)...)
		}
	}
	for _, t := range all {
		t.made = t.vacated() // folders that were made hold files now
	}
	return nil
}

func rollBack(all []*transaction) []error {
	var errs []error
	for _, t := range all {
		errs = append(errs, t.rollBack()...)
	}
	return errs
}

// transaction is the work in one folder.
type transaction struct {
	folder Folder
	root   *os.Root
	disk   filesystem
	made   string // topmost folder to be removed if it is empty in the end: it was made for this work, or vacated by it
	steps  []step
	done   int // steps[:done] are in place
}

// step replaces or removes one file.
type step struct {
	Change
	temp   string // new content, ready to be renamed; "" to remove an orphan
	backup string // old content, ready to be renamed back; "" if there was no file
}

// stage writes everything that has to be written under temporary names.
func stage(set Changes, disk filesystem) (*transaction, error) {
	root, made, err := set.Folder.create()
	if err != nil {
		return nil, err
	}
	t := &transaction{folder: set.Folder, root: root, disk: disk, made: made}
	t.sweep()
	for _, change := range ordered(set.Drift()) {
		s := step{Change: change}
		if change.New != nil {
			s.temp = t.tempName("new", change.Name)
		}
		if change.Old != nil {
			s.backup = t.tempName("old", change.Name)
		}
		t.steps = append(t.steps, s)
		if err := t.prepare(s); err != nil {
			return t, fmt.Errorf("write %s: %w", filepath.Join(t.folder.String(), change.Name), err)
		}
	}
	return t, nil
}

// ordered puts removals last: a build that runs meanwhile rather finds a name twice than not at all.
func ordered(changes []Change) []Change {
	var write, remove []Change
	for _, c := range changes {
		if c.Kind == Orphaned {
			remove = append(remove, c)
		} else {
			write = append(write, c)
		}
	}
	return append(write, remove...)
}

// tempName names a temporary file so that two processes at work in one folder do not share it.
func (t *transaction) tempName(role, name string) string {
	return fmt.Sprintf("%s%d-%s-%s%s", tempPrefix, os.Getpid(), role, name, tempSuffix)
}

func (t *transaction) prepare(s step) error {
	if s.temp != "" {
		if err := t.disk.write(t.root, s.temp, s.New); err != nil {
			return err
		}
	}
	if s.backup != "" {
		return t.disk.write(t.root, s.backup, s.Old)
	}
	return nil
}

func (t *transaction) commit() error {
	for _, s := range t.steps {
		if s.temp == "" {
			if err := t.disk.remove(t.root, s.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove %s: %w", filepath.Join(t.folder.String(), s.Name), err)
			}
		} else if err := t.disk.rename(t.root, s.temp, s.Name); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(t.folder.String(), s.Name), err)
		}
		t.done++
	}
	return nil
}

func (t *transaction) rollBack() []error {
	var errs []error
	for _, s := range t.steps[:t.done] {
		var err error
		if s.backup == "" {
			err = t.disk.remove(t.root, s.Name)
		} else {
			err = t.disk.rename(t.root, s.backup, s.Name)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("restore %s: %w", filepath.Join(t.folder.String(), s.Name), err))
		}
	}
	t.done = 0
	return errs
}

// vacated returns the topmost folder that may be empty now because everything of ours in it was an orphan; "" if there is none.
func (t *transaction) vacated() string {
	rest := t.folder.rest()
	if rest == "." || slices.ContainsFunc(t.steps, func(s step) bool { return s.Kind != Orphaned }) {
		return ""
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
	return filepath.Join(t.folder.Base, top)
}

// cleanUp removes what is left of temporary files, and the folder if it was made in vain or has become empty.
func (t *transaction) cleanUp() {
	for _, s := range t.steps {
		for _, name := range []string{s.temp, s.backup} {
			if name != "" {
				t.disk.remove(t.root, name)
			}
		}
	}
	t.root.Close()
	if t.made != "" {
		removeEmpty(t.folder.String(), t.made)
	}
}

// removeEmpty removes the folder path and its parents up to top, as far as they are empty.
func removeEmpty(path, top string) {
	for {
		if os.Remove(path) != nil || path == top {
			return
		}
		path = filepath.Dir(path)
	}
}

// sweep removes temporary files that a killed poolgen left behind. It is a courtesy: failures are ignored.
func (t *transaction) sweep() {
	entries, _ := fs.ReadDir(t.root.FS(), ".")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), tempPrefix) || !strings.HasSuffix(entry.Name(), tempSuffix) {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			t.root.Remove(entry.Name())
		}
	}
}
