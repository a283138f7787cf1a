package emit

import (
	"errors"
	"io/fs"
	"os"
)

// fileMode is that of hand-written source files.
const fileMode = 0o644

// disk is the real [filesystem]. An [os.Root] never leaves its folder, whatever links lie there.
type disk struct{}

func (disk) write(root *os.Root, name string, content []byte) error {
	// A process with our number may have died here before: its file is no longer anybody's.
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(fileMode) // whatever the umask
	}
	return errors.Join(err, f.Close())
}

func (disk) rename(root *os.Root, from, to string) error { return root.Rename(from, to) }

func (disk) remove(root *os.Root, name string) error { return root.Remove(name) }
