package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// save writes a file: all of it, or it stays as it was. Where there is a link, the file behind it is meant.
func (p *Process) save(name string, write func(io.Writer) error) (err error) {
	path := p.path(name)
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is there and no regular file: name another", name)
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".poolgen-%d-%s.tmp", os.Getpid(), filepath.Base(path)))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, reason(err))
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
			err = fmt.Errorf("write %s: %w", name, reason(err))
		}
	}()
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// reason is an error of the system without the path of the temporary file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
