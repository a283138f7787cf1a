package emit

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxDirs bounds the search for strays: a pool file above a huge tree must not make every run slow.
const maxDirs = 10_000

// Strays finds the files that belong to the pool file and lie below its directory, but outside the output directory: they are from a
// time when the output directory was another. Only files with a name that named accepts are looked at. It searches the directories
// that the go command searches: no other modules, not vendor or testdata, and no directories whose names begin with a dot or an
// underscore. It follows no links.
//
// Cost: one listing of each directory, and the first line of each file of such a name; it gives up after ten thousand directories.
func Strays(ctx context.Context, output Dir, poolFile string, named func(string) bool) ([]Changes, error) {
	base, current := resolved(output.Base), output.Real()
	var found []Changes
	seen := 0
	err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return skipUnreadable(entry)
		case !entry.IsDir():
			return nil
		case path != base && foreign(path):
			return filepath.SkipDir
		}
		if seen++; seen > maxDirs {
			return filepath.SkipAll
		}
		rel, err := filepath.Rel(base, path)
		if err != nil || path == current {
			return err
		}
		dir := Dir{Base: base, Path: filepath.ToSlash(rel)}
		if !dir.hides(poolFile, named) {
			return nil
		}
		changes, err := Compare(ctx, dir, dir.Owner(poolFile), nil, named)
		found = append(found, changes)
		return err
	})
	return found, err
}

// skipUnreadable skips what cannot be read: nothing shows that any of it is ours.
func skipUnreadable(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// foreign reports whether a directory belongs to another module, or to none.
func foreign(path string) bool {
	name := filepath.Base(path)
	if name == "vendor" || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Lstat(filepath.Join(path, "go.mod"))
	return err == nil
}

// hides reports whether a file in the directory belongs to the pool file.
func (f Dir) hides(poolFile string, named func(string) bool) bool {
	root, err := os.OpenRoot(f.String())
	if err != nil {
		return false
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		if !named(entry.Name()) || !entry.Type().IsRegular() {
			return false
		}
		start, _ := firstLine(root, entry.Name())
		from, generated := Owner(start)
		return generated && f.Belongs(f.Owner(poolFile), from)
	})
}

// firstLine returns the beginning of a file, long enough to hold a header.
func firstLine(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, 8192))
}
