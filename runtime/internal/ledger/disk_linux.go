package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// file is a ledger on Linux.
type file struct {
	fd   int
	path string
	page mapping // of the whole ledger
	has  int64   // bytes of the file, when it was looked at last
}

// openDisk opens a ledger, and makes it and its directory if there is none. Both must belong to the user, and nobody else may have access.
func openDisk(dir, name string) (disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	d, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(d)
	if err := private(d, dir, unix.S_IFDIR); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name+".ledger")
	fd, err := unix.Openat(d, name+".ledger", unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := &file{fd: fd, path: path}
	if err = private(fd, path, unix.S_IFREG); err == nil {
		_, err = f.size()
	}
	if err == nil {
		f.page, err = f.mapped(fileSize)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return f, nil
}

// private refuses what is of another kind, belongs to another user, or is open to others.
func private(fd int, path string, kind uint32) error {
	var s unix.Stat_t
	switch err := unix.Fstat(fd, &s); {
	case err != nil:
		return &os.PathError{Op: "stat", Path: path, Err: err}
	case s.Mode&unix.S_IFMT != kind:
		return fmt.Errorf("%w: %s is neither a directory nor a regular file, as it should be", ErrBadFile, path)
	case int(s.Uid) != os.Geteuid():
		return fmt.Errorf("%w: %s belongs to user %d, and this process to user %d", ErrBadFile, path, s.Uid, os.Geteuid())
	case s.Mode&0o077 != 0:
		return fmt.Errorf("%w: other users have access to %s: run chmod go= on it", ErrBadFile, path)
	}
	return nil
}

func (f *file) lock() (bool, error) { return f.setLock(unix.F_WRLCK, 0) }

func (f *file) unlock() error {
	_, err := f.setLock(unix.F_UNLCK, 0)
	return err
}

func (f *file) hold(i int) (bool, error) { return f.setLock(unix.F_WRLCK, 64+i) }

func (f *file) isHeld(i int) (bool, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: int64(64 + i), Len: 1}
	if err := unix.FcntlFlock(uintptr(f.fd), unix.F_OFD_GETLK, &l); err != nil {
		return false, &os.PathError{Op: "query lock", Path: f.path, Err: err}
	}
	return l.Type != unix.F_UNLCK, nil
}

// setLock sets a lock of this open file on one byte, and reports false if another has it.
func (f *file) setLock(kind int16, at int) (bool, error) {
	l := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: int64(at), Len: 1}
	err := unix.FcntlFlock(uintptr(f.fd), unix.F_OFD_SETLK, &l)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.path, Err: err}
	}
	return true, nil
}

func (f *file) stat() (s unix.Stat_t, err error) {
	if err := unix.Fstat(f.fd, &s); err != nil {
		return s, &os.PathError{Op: "stat", Path: f.path, Err: err}
	}
	f.has = s.Size
	return s, nil
}

func (f *file) gone() (bool, error) {
	s, err := f.stat()
	return s.Nlink == 0, err
}

func (f *file) size() (int64, error) {
	s, err := f.stat()
	return s.Size, err
}

func (f *file) allocate(size int64) error {
	if err := unix.Fallocate(f.fd, 0, 0, size); err != nil {
		return &os.PathError{Op: "allocate", Path: f.path, Err: err}
	}
	f.has = size
	return nil
}

func (f *file) read(at int64, b []byte) error {
	if at+int64(len(b)) > f.has || !f.page.read(at, b) {
		return f.cutOff()
	}
	return nil
}

func (f *file) cutOff() error {
	return fmt.Errorf("%w: %s was cut off"+anew, ErrBadFile, f.path)
}

// write writes a field of eight bytes through the mapping, and all else by a call of the system: a process that is killed has written all of it, or nothing. A
// field that is cut off is not written, as the file would look whole.
func (f *file) write(at int64, b []byte) error {
	if len(b) == 8 {
		if at+8 > f.has || !f.page.store(at, binary.NativeEndian.Uint64(b)) {
			return f.cutOff()
		}
		return nil
	}
	switch n, err := unix.Pwrite(f.fd, b, at); {
	case err != nil:
		return &os.PathError{Op: "write", Path: f.path, Err: err}
	case n < len(b):
		return &os.PathError{Op: "write", Path: f.path, Err: io.ErrShortWrite}
	}
	return nil
}

func (f *file) close() error {
	f.page.close()
	if err := unix.Close(f.fd); err != nil {
		return &os.PathError{Op: "close", Path: f.path, Err: err}
	}
	return nil
}

// startOf returns when a process was started, in ticks since the system was; 0 if there is no such process.
func startOf(pid int) uint64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	after := string(text[strings.LastIndexByte(string(text), ')')+1:]) // the name before it may have anything
	fields := strings.Fields(after)
	if len(fields) < 20 {
		return 0
	}
	start, _ := strconv.ParseUint(fields[19], 10, 64)
	return start
}
