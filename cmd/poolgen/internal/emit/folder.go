package emit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder is an output folder. Base is the folder of the pool file, and trusted; Path leads from there to the
// output, as the pool file writes it. Links below the deepest folder that both share are followed only where
// they do not lead out of it, so that a link planted or forgotten in a work tree cannot make poolgen write
// elsewhere.
type Folder struct {
	Base string
	Path string
}

// String returns the path of the folder.
func (f Folder) String() string { return filepath.Join(f.Base, filepath.FromSlash(f.Path)) }

// split returns the folder that poolgen stays in, and the way from there to the output: a Path of ../gen
// stays in the parent of Base.
func (f Folder) split() (trusted, rest string) {
	rest = filepath.Clean(filepath.FromSlash(f.Path))
	trusted = f.Base
	up := ".." + string(filepath.Separator)
	for rest == ".." || strings.HasPrefix(rest, up) {
		trusted = filepath.Join(trusted, "..")
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ".."), string(filepath.Separator))
	}
	if rest == "" {
		rest = "."
	}
	return trusted, rest
}

// open opens the folder; the error matches fs.ErrNotExist if there is none.
func (f Folder) open() (*os.Root, error) {
	trusted, rest := f.split()
	root, err := os.OpenRoot(trusted)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close()
	return enter(root, trusted, rest)
}

func enter(root *os.Root, trusted, rest string) (*os.Root, error) {
	if filepath.IsAbs(rest) {
		return nil, fmt.Errorf("output %s is not relative to the pool file", rest)
	}
	inner, err := root.OpenRoot(rest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("output folder %s: %w (links that lead out of %s are not followed)", filepath.Join(trusted, rest), err, trusted)
	}
	return inner, err
}

// create opens the folder, making it first where need be, and returns the topmost folder that it made.
func (f Folder) create() (root *os.Root, made string, err error) {
	trusted, rest := f.split()
	outer, err := os.OpenRoot(trusted)
	if err != nil {
		return nil, "", fmt.Errorf("open folder: %w", err)
	}
	defer outer.Close()
	made = firstMissing(outer, rest)
	if made != "" {
		if err := outer.MkdirAll(rest, 0o755); err != nil {
			return nil, "", fmt.Errorf("make folder: %w", err)
		}
		made = filepath.Join(trusted, made)
	}
	root, err = enter(outer, trusted, rest)
	return root, made, err
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
