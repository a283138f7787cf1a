package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// PoolFile is the name under which pool files are searched.
const PoolFile = "poolgen.yaml"

// Find returns the absolute paths of the pool files to work on: those that are named, each once, or else the
// one found from the current directory upwards.
func (w *Workspace) Find(names []string) ([]string, error) {
	if len(names) == 0 {
		found, err := w.discover()
		return []string{found}, err
	}
	var files []string
	var infos []os.FileInfo
	for _, name := range names {
		file := w.Path(name)
		info, err := os.Stat(file)
		switch shown := w.Shown(file); {
		case spec.Printable(shown) != shown: // it is written to terminals, and to a line of each generated file
			return nil, fmt.Errorf("the name %q holds what is not text: rename it", name)
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: no such file", name)
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%s is a directory: name the pool file in it, as in %s", name, filepath.ToSlash(filepath.Join(name, PoolFile)))
		}
		if !slices.ContainsFunc(infos, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			files, infos = append(files, file), append(infos, info)
		}
	}
	return files, nil
}

// discover looks for the pool file in the current directory and those above, up to the one that holds go.mod. Outside
// any module it searches only the current directory, because the directories above may belong to others.
func (w *Workspace) discover() (string, error) {
	var candidates []string
	inModule := false
	for dir := w.Dir; !inModule; dir = filepath.Dir(dir) {
		candidates = append(candidates, filepath.Join(dir, PoolFile))
		inModule = exists(filepath.Join(dir, "go.mod"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if !inModule {
		candidates = candidates[:1]
	}
	for _, file := range candidates {
		if there, err := w.HasFile(file); there || err != nil {
			return file, err
		}
	}
	where := "here"
	if len(candidates) > 1 {
		where = "here or in a directory above, up to go.mod"
	}
	if exists(filepath.Join(w.Dir, "poolgen.yml")) {
		return "", fmt.Errorf("there is no %s %s, but there is poolgen.yml: rename it, or name it on the command line", PoolFile, where)
	}
	return "", fmt.Errorf("there is no %s %s: poolgen init writes one", PoolFile, where)
}

// HasFile reports whether a directory has its pool file, which is at a path. What bears the name of a pool file and is none is an error, and not passed over
// for a file of a directory above: whoever put it there expects it to be used.
func (w *Workspace) HasFile(file string) (bool, error) {
	name := w.Shown(file)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("%s is a link to a file that does not exist: remove the link, or name the pool file on the command line", name)
	case err != nil:
		return false, err
	case info.IsDir():
		return false, fmt.Errorf("%s is a directory, and pool files are searched by that name: rename it, or name the pool file on the command line", name)
	}
	return true, nil
}

func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && !info.IsDir()
}
