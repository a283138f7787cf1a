package workspace

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/poolgen/poolgen/spec"
)

// Read reads a pool file, and no more of it than spec.Load needs to refuse one that is too large. A file that is not regular
// is refused before it is opened: opening may wait forever (a pipe), and reading may never end (a device).
func (w *Workspace) Read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	switch name := w.Shown(file); {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: name a pool file on disk", name)
	case standsForAnother(file):
		return nil, fmt.Errorf("%s only stands for another file: name that one, as the output is written beside it", name)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, spec.MaxFileBytes+1))
}

// standsForAnother reports whether a path is the system's name for an open file of a process: /dev/stdin, /proc/self/fd/0.
func standsForAnother(file string) bool {
	slashed := path.Clean(filepath.ToSlash(file))
	for _, pattern := range []string{"/dev/*", "/dev/fd/*", "/proc/*", "/proc/*/fd/*"} {
		if ok, _ := path.Match(pattern, slashed); ok {
			return true
		}
	}
	return false
}
