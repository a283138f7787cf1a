package emit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// Kind tells how a file in the output directory relates to what was generated.
type Kind string

const (
	Unchanged Kind = "unchanged" // as generated
	Stale     Kind = "stale"     // generated before, with other content
	Missing   Kind = "missing"   // not there
	Orphaned  Kind = "orphaned"  // generated from this pool file before, no longer wanted
)

// Change is one file of an output directory.
type Change struct {
	Name string // in the directory
	Kind Kind
	Old  []byte // content on disk; nil when missing
	New  []byte // content wanted; nil when orphaned
}

// Changes is the difference between an output directory and what was generated for it.
type Changes struct {
	Dir   Dir
	Files []Change // sorted by name; unchanged files included
}

// Drift returns the files that are not as generated.
func (c Changes) Drift() []Change {
	var drift []Change
	for _, f := range c.Files {
		if f.Kind != Unchanged {
			drift = append(drift, f)
		}
	}
	return drift
}

// Count returns the number of files of a kind.
func (c Changes) Count(kind Kind) int {
	n := 0
	for _, f := range c.Files {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// Compare finds out what has to change in directory for it to hold the files want (name to content) and no other
// file that belongs to the pool file owner, a path as [Dir.Owner] gives it. Only files with a name that named accepts are looked at: a copy that somebody
// made of a generated file, foo_pool.go.orig, is not poolgen's. It writes nothing.
//
// It fails, naming the file, when a wanted name is taken by something that poolgen must not replace: a file without our header, one generated from
// another pool file, a link or a directory. Files that differ from what is wanted only in CR LF for LF count as unchanged, because git may be
// configured to check them out with CR LF.
func Compare(ctx context.Context, dir Dir, owner string, want map[string][]byte, named func(string) bool) (Changes, error) {
	if err := checkWant(owner, want, named); err != nil {
		return Changes{}, err
	}
	have, err := read(ctx, dir, owner, want, named)
	if err != nil {
		return Changes{}, err
	}
	changes := Changes{Dir: dir}
	for name, content := range want {
		old, there := have[name]
		changes.Files = append(changes.Files, Change{name, kindOf(old, there, content), old, content})
	}
	for name, old := range have {
		if _, wanted := want[name]; !wanted {
			changes.Files = append(changes.Files, Change{name, Orphaned, old, nil})
		}
	}
	sort.Slice(changes.Files, func(i, j int) bool { return changes.Files[i].Name < changes.Files[j].Name })
	return changes, nil
}

func kindOf(old []byte, there bool, want []byte) Kind {
	switch {
	case !there:
		return Missing
	case bytes.Equal(old, want), bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), want):
		return Unchanged
	}
	return Stale
}

// checkWant checks what this package requires of the stages before it.
func checkWant(owner string, want map[string][]byte, named func(string) bool) error {
	for name, content := range want {
		if name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." {
			return fmt.Errorf("%q is not the name of a file in a directory", name)
		}
		if !named(name) {
			return fmt.Errorf("%s would not be known again as an orphan", name)
		}
		if got, _ := Owner(content); got != owner {
			return fmt.Errorf("%s lacks the header %q", name, Header(owner))
		}
	}
	return nil
}

// read returns the content of the files in the directory that are wanted or owned by the pool file.
func read(ctx context.Context, dir Dir, owner string, want map[string][]byte, named func(string) bool) (map[string][]byte, error) {
	root, err := dir.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("read directory %s: %w", dir, err)
	}
	have := map[string][]byte{}
	for _, entry := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_, wanted := want[entry.Name()]
		if !wanted && (!named(entry.Name()) || !entry.Type().IsRegular()) {
			continue
		}
		content, err := readOne(root, dir, owner, entry, wanted)
		if err != nil {
			return nil, err
		}
		if content != nil {
			have[entry.Name()] = content
		}
	}
	return have, nil
}

// readOne returns the content of a file, or nil if the file has nothing to do with the pool file.
func readOne(root *os.Root, dir Dir, owner string, entry fs.DirEntry, wanted bool) ([]byte, error) {
	path := filepath.Join(dir.String(), entry.Name())
	if !entry.Type().IsRegular() {
		return nil, irregular(path)
	}
	start, err := firstLine(root, entry.Name())
	if errors.Is(err, fs.ErrNotExist) || err != nil && !wanted {
		return nil, nil // gone meanwhile, or unreadable, and then nothing shows that it is ours
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	from, generated := Owner(start)
	switch {
	case generated && (wanted && dir.Trial || dir.Belongs(owner, from)):
		return readOwn(root, path, entry.Name())
	case !wanted:
		return nil, nil
	case generated:
		return nil, &Taken{path, from}
	}
	return nil, &Taken{Path: path}
}

// Taken is the error that a wanted name is that of a file that poolgen must not replace.
type Taken struct {
	Path string
	From string // the pool file that it was generated from, as its first line names it; "" for a file written by hand
}

func (t *Taken) Error() string {
	if t.From != "" {
		return t.Path + " was generated from " + t.From
	}
	return t.Path + " was not generated by poolgen, which will not overwrite it"
}

// irregular is the error that a wanted name is that of something other than a regular file.
func irregular(path string) error {
	return fmt.Errorf("%s is not a regular file: poolgen will not replace it", path)
}

// maxGenerated bounds the size of a file that says it is generated. Files that are generated have a few dozen KiB.
const maxGenerated = 64 << 20

// readOwn returns the content of a file that says that it is ours.
func readOwn(root *os.Root, path, name string) ([]byte, error) {
	if info, err := root.Stat(name); err == nil && info.Size() > maxGenerated {
		return nil, fmt.Errorf("%s has %d bytes, which poolgen has never generated: remove it", path, info.Size())
	}
	content, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // gone meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content, nil
}
