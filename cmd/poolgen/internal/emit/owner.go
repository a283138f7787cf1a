package emit

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Owner returns how files in the directory name a pool file that lies in Base: by its path from the directory, with slashes.
func (f Dir) Owner(poolFile string) string {
	rel, err := filepath.Rel(f.Real(), filepath.Join(resolved(f.Base), poolFile))
	if err != nil {
		return poolFile
	}
	return filepath.ToSlash(rel)
}

// Belongs reports whether a file in the directory that was generated from one pool file belongs to another, both named as Owner names them.
// It does if they are the same. It does, too, if the pool file that it was generated from is gone and lay in the same directory as the
// owner: a pool file inherits the files of removed pool files in its directory, and those of its own under another name.
func (f Dir) Belongs(owner, from string) bool {
	if from == owner || path.Dir(from) != path.Dir(owner) {
		return from == owner
	}
	_, err := os.Lstat(filepath.Join(f.Real(), filepath.FromSlash(from)))
	return errors.Is(err, fs.ErrNotExist)
}
