package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// save writes a whole file, or leaves it as it was. It follows links. A pipe, and anything else that is no regular file, is written to directly.
func (p *Process) save(name string, write func(io.Writer) error) error {
	path := p.path(name)
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = replace(missing(path), nil, write)
	case err != nil:
	case info.IsDir():
		return fmt.Errorf("%s is a directory: name a file to write to", name)
	case info.Mode().IsRegular():
		err = replace(path, info, write)
	default:
		err = fill(path, os.O_WRONLY, write)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, reason(err))
	}
	return nil
}

// mostLinks is how many links may lead to a file on usual systems.
const mostLinks = 40

// missing is the file that a path stands for, where there is none: that to which links lead.
func missing(path string) string {
	for range mostLinks {
		to, err := os.Readlink(path)
		switch {
		case err != nil:
			return path
		case !filepath.IsAbs(to):
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// saveText is save for a text.
func (p *Process) saveText(name, text string) error {
	return p.save(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// replace writes a file beside another, whose permissions it gets, and puts it in its place. before is nil if there is none.
func replace(path string, before os.FileInfo, write func(io.Writer) error) error {
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".poolgen-%d-%s.tmp", os.Getpid(), filepath.Base(path)))
	os.Remove(temp) // of a process of our number that died here
	err := fill(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write)
	if err == nil && before != nil {
		err = os.Chmod(temp, before.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// fill writes to a file.
func fill(path string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// reason is an error of the system without the path of the temporary file.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
