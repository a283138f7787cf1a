package emit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// transaction is the work in one directory.
type transaction struct {
	dir   Dir
	root  *os.Root
	disk  filesystem
	run   string // word in the names of its temporary files
	made  string // topmost directory to be removed if it is empty at the end: it was made for this work, or emptied by it
	steps []step
	done  int // steps[:done] are in place
}

// step replaces or removes one file.
type step struct {
	Change
	permissions os.FileMode // of the file that is there; 0 if there is none
	temp        string      // new content, ready to be renamed; "" to remove an orphan
	backup      string      // old content, ready to be renamed back; "" if there was no file
}

// stage writes everything that has to be written under temporary names.
func stage(ctx context.Context, set Changes, disk filesystem) (*transaction, error) {
	root, made, err := set.Dir.create()
	if err != nil {
		return nil, err
	}
	t := &transaction{dir: set.Dir, root: root, disk: disk, run: newRun(), made: made}
	for _, change := range ordered(set.Drift()) {
		permissions, err := t.permissions(change.Name)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return t, err
		}
		s := step{Change: change, permissions: permissions}
		if change.New != nil {
			s.temp = tempName(t.run, "new", change.Name)
		}
		if change.Old != nil {
			s.backup = tempName(t.run, "old", change.Name)
		}
		t.steps = append(t.steps, s)
		if err := t.prepare(s); err != nil {
			return t, t.failed("write", s.Name, err)
		}
	}
	return t, nil
}

// ordered puts removals last: for a concurrent build, a name that is declared twice is better than a missing one.
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

func (t *transaction) prepare(s step) error {
	if s.temp != "" {
		if err := t.disk.write(t.root, s.temp, s.New, s.permissions); err != nil {
			return err
		}
	}
	if s.backup != "" {
		return t.disk.write(t.root, s.backup, s.Old, s.permissions)
	}
	return nil
}

// permissions returns those of a file that is to be replaced or removed; 0 if there is none. It fails if the file is not one that poolgen generated:
// somebody may have put it there since Compare ran.
func (t *transaction) permissions(name string) (os.FileMode, error) {
	info, err := t.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return 0, irregular(filepath.Join(t.dir.String(), name))
	}
	var start []byte
	if err == nil {
		start, err = firstLine(t.root, name)
	}
	switch _, generated := Owner(start); {
	case errors.Is(err, fs.ErrNotExist): // or another run has removed it just now
		return 0, nil
	case err != nil:
		return 0, t.failed("read", name, err)
	case !generated:
		return 0, &Taken{Path: filepath.Join(t.dir.String(), name)}
	}
	return info.Mode().Perm(), nil
}

func (t *transaction) commit() error {
	for _, s := range t.steps {
		if s.temp == "" {
			if err := t.disk.remove(t.root, s.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return t.failed("remove", s.Name, err)
			}
		} else if err := t.disk.rename(t.root, s.temp, s.Name); err != nil {
			return t.failed("write", s.Name, err)
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
			errs = append(errs, t.failed("restore", s.Name, err))
		}
	}
	t.done = 0
	return errs
}

// failed returns the error of an operation on a file.
func (t *transaction) failed(verb, name string, err error) error {
	return fmt.Errorf("%s %s: %w", verb, filepath.Join(t.dir.String(), name), err)
}

// vacated returns the topmost directory that may be empty now because all of our files in it were orphans, or "".
func (t *transaction) vacated() string {
	rest := t.dir.rest()
	if rest == "." || slices.ContainsFunc(t.steps, func(s step) bool { return s.Kind != Orphaned }) {
		return ""
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
	return filepath.Join(t.dir.Base, top)
}

// cleanUp removes the temporary files that remain.
func (t *transaction) cleanUp() {
	for _, s := range t.steps {
		for _, name := range []string{s.temp, s.backup} {
			if name != "" {
				t.disk.remove(t.root, name)
			}
		}
	}
	t.root.Close()
}

// removeMade removes the directory if it was made and not needed, or has become empty.
func (t *transaction) removeMade() {
	if t.made != "" {
		removeEmpty(t.dir.String(), t.made)
	}
}
