package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// save writes a whole file, or leaves it as it was. It follows links. It writes directly to a pipe and to anything else that is not a regular file.
func (p *Process) save(name string, write func(io.Writer) error) error {
	path := p.target(name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = replace(path, nil, write)
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

// target returns the path of the file that save writes: it follows links.
func (p *Process) target(name string) string {
	path := p.path(name)
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		return behind
	}
	return missing(path)
}

// apart returns an error if the output is one of the files that the command reads.
func (p *Process) apart(inputs []string, output string) error {
	for _, name := range inputs {
		if output != "" && p.same(name, output) {
			return fmt.Errorf("%s is a file that this command reads: name another file to write to", output)
		}
	}
	return nil
}

// same reports whether two names stand for one file, which need not exist.
func (p *Process) same(a, b string) bool {
	first, err := os.Stat(p.path(a))
	second, wrong := os.Stat(p.path(b))
	if err != nil || wrong != nil {
		return p.target(a) == p.target(b)
	}
	return os.SameFile(first, second)
}

// checkChart returns an error if no chart may be written to the file, before anything is measured for it. The ending protects files that the command
// knows nothing of, also behind a link.
func (p *Process) checkChart(name string, inputs ...string) error {
	if name == "" {
		return nil
	}
	for _, path := range []string{name, p.target(name)} {
		if !strings.EqualFold(filepath.Ext(path), ".svg") {
			return fmt.Errorf("--chart %s: a chart is SVG, and %s does not end in .svg: name another file", name, p.shown(path))
		}
	}
	return p.apart(inputs, name)
}

// mostLinks is the number of links that usual systems follow to a file.
const mostLinks = 40

// missing returns the path of the file that a path stands for, when the file does not exist: it follows links.
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

// saveText calls save for a text.
func (p *Process) saveText(name, text string) error {
	return p.save(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// replace writes a new file beside a file, with its permissions, and renames the new file to the old name. before is nil if there is no old file.
func replace(path string, before os.FileInfo, write func(io.Writer) error) error {
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".poolgen-%d-%s.tmp", os.Getpid(), filepath.Base(path)))
	os.Remove(temp) // of a dead process with the same process ID
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

// reason returns an error of the system without the path of the temporary file.
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
