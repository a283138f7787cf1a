package ledger

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

func native(v int64) []byte { return binary.NativeEndian.AppendUint64(nil, uint64(v)) }

// failing is a disk of which one call fails.
type failing struct {
	disk
	left int // calls until then
}

var errPlanted = errors.New("planted")

func (f *failing) fails() error {
	if f.left--; f.left == 0 {
		return errPlanted
	}
	return nil
}

func (f *failing) lock() (bool, error) {
	if err := f.fails(); err != nil {
		return false, err
	}
	return f.disk.lock()
}

func (f *failing) read(at int64, b []byte) error {
	return f.or(func() error { return f.disk.read(at, b) })
}
func (f *failing) write(at int64, b []byte) error {
	return f.or(func() error { return f.disk.write(at, b) })
}
func (f *failing) ring() error { return f.or(f.disk.ring) }

func (f *failing) gone() (bool, error) {
	if err := f.fails(); err != nil {
		return false, err
	}
	return f.disk.gone()
}

func (f *failing) isHeld(i int) (bool, error) {
	if err := f.fails(); err != nil {
		return false, err
	}
	return f.disk.isHeld(i)
}

func (f *failing) or(call func() error) error {
	if err := f.fails(); err != nil {
		return err
	}
	return call()
}

// Whichever call of the system fails, the error is returned, the file has what the process believes to hold, and the next call works.
func TestFaults(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 50, 50, 50)
	fatal.If(t, b.Want(70, 0))
	real := a.file
	calls := map[string]func() error{
		"take":  func() error { _, _, err := a.Take(60, 60); return err },
		"more":  func() error { _, _, err := a.Take(1, 5); return err },
		"give":  func() error { _, err := a.Give(1); return err },
		"want":  func() error { return errors.Join(a.Want(7, 3), a.Want(0, 0)) },
		"list":  func() error { _, err := a.List(); return err },
		"asked": func() error { _, err := a.Asked(); return err },
	}
	for name, call := range calls {
		failed := 0
		for n := 1; ; n++ {
			f := &failing{real, n}
			a.file = f
			err := call()
			a.file = real
			if f.left > 0 {
				break
			}
			failed++
			if !errors.Is(err, errPlanted) {
				t.Fatalf("%s, call %d: %v", name, n, err)
			}
			fatal.If(t, a.Want(0, 0))
			list, err := b.List()
			if err != nil || list[0].Held != a.own.held {
				t.Fatalf("%s, call %d: the file has %+v, the process %d, %v", name, n, list, a.own.held, err)
			}
		}
		if failed < 3 {
			t.Errorf("%s: %d calls failed", name, failed)
		}
	}
}
