package emit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is an output directory: Path leads there from Base, the directory of the pool file. Links on the way are followed
// only if they stay below Base: a planted or forgotten link in a work tree cannot make poolgen write elsewhere.
type Dir struct {
	Base string
	Path string // with slashes, as in the pool file

	// Trial says that nothing will be written: names that are wanted may be those of files generated from other pool files.
	Trial bool
}

// String returns the path of the directory.
func (f Dir) String() string { return filepath.Join(f.Base, f.rest()) }

// Real returns the path of the directory with links resolved, as far as it exists.
func (f Dir) Real() string { return resolved(f.String()) }

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

// rest is Path for the operating system.
func (f Dir) rest() string { return filepath.Clean(filepath.FromSlash(f.Path)) }

// open opens the directory; the error matches fs.ErrNotExist if there is none.
func (f Dir) open() (*os.Root, error) {
	base, err := os.OpenRoot(f.Base)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	defer base.Close()
	return f.enter(base)
}

func (f Dir) enter(base *os.Root) (*os.Root, error) {
	root, err := base.OpenRoot(f.rest())
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return root, err
	case f.leadsOut():
		return nil, fmt.Errorf("output directory %s: %w (links that lead out of %s are not followed)", f, err, f.Base)
	}
	return nil, fmt.Errorf("output directory %s: %w", f, err)
}

// leadsOut reports whether a link on the way leads out of Base.
func (f Dir) leadsOut() bool {
	rel, err := filepath.Rel(resolved(f.Base), f.Real())
	return err != nil || !filepath.IsLocal(rel)
}

// create opens the directory, which it makes if necessary, and returns the topmost directory that it made.
func (f Dir) create() (root *os.Root, made string, err error) {
	base, err := os.OpenRoot(f.Base)
	if err != nil {
		return nil, "", fmt.Errorf("open directory: %w", err)
	}
	defer base.Close()
	if missing := firstMissing(base, f.rest()); missing != "" {
		made = filepath.Join(f.Base, missing)
		if err := base.MkdirAll(f.rest(), 0o777); err != nil {
			removeEmpty(f.String(), made)
			return nil, "", fmt.Errorf("make directory: %w", err)
		}
	}
	root, err = f.enter(base)
	return root, made, err
}

// removeEmpty removes the directory path and its parents up to top, as far as they are there and empty. It stops at a link, which poolgen did not
// make.
func removeEmpty(path, top string) {
	for ; ; path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err == nil && (!info.IsDir() || os.Remove(path) != nil) || path == top {
			return
		}
	}
}

// firstMissing returns the shortest leading part of path that does not exist; "" if all of it does.
func firstMissing(root *os.Root, path string) string {
	missing := ""
	for path != "." {
		if _, err := root.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing, path = path, filepath.Dir(path)
	}
	return missing
}
