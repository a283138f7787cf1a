package emit

import (
	"errors"
	"os"
)

// disk is the real [filesystem]. An [os.Root] never leaves its directory, whatever links lie there.
type disk struct{}

func (disk) write(root *os.Root, name string, content []byte, permissions os.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && permissions != 0 {
		err = permit(f, permissions)
	}
	return errors.Join(err, f.Close())
}

// permit gives a file permissions, unless it has them already: not every file system can change permissions.
func permit(f *os.File, permissions os.FileMode) error {
	if info, err := f.Stat(); err != nil || info.Mode().Perm() == permissions {
		return err
	}
	return f.Chmod(permissions)
}

func (disk) rename(root *os.Root, from, to string) error { return root.Rename(from, to) }

func (disk) remove(root *os.Root, name string) error { return root.Remove(name) }
