package emit

import (
	"errors"
	"os"
)

// disk is the real [filesystem]. An [os.Root] never leaves its folder, whatever links lie there.
type disk struct{}

func (disk) write(root *os.Root, name string, content []byte, permissions os.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && permissions != 0 {
		err = f.Chmod(permissions)
	}
	return errors.Join(err, f.Close())
}

func (disk) rename(root *os.Root, from, to string) error { return root.Rename(from, to) }

func (disk) remove(root *os.Root, name string) error { return root.Remove(name) }
