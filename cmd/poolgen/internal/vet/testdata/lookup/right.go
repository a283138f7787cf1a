// Package lookup gets from addresses, indexes and handles back to blocks.
package lookup

import (
	"errors"
	"log"
	"unsafe"

	"example.com/vet/pools"
)

// All is well in this file.

type list struct {
	head  uint32
	next  []uint32
	by    map[string]pools.LinkHandle
	addrs map[string]uintptr
}

func (l *list) linksByIndex(x float32) error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	v.X = x
	i := pools.IndexLink(v)
	l.next = append(l.next, l.head)
	l.head = i
	return nil
}

func indexIsReturned() (uint32, error) {
	v, err := pools.AllocLink()
	if err != nil {
		return 0, err
	}
	v.Y = 1
	return pools.IndexLink(v), nil
}

func (l *list) walks() (sum float32) {
	for i := l.head; i != 0; i = l.next[i] {
		sum += pools.LinkAtIndex(i).X
	}
	return sum
}

func (l *list) freesAll() (err error) {
	for i := l.head; i != 0; {
		v := pools.LinkAtIndex(i)
		i = l.next[i]
		err = errors.Join(err, pools.FreeLink(v))
	}
	return err
}

func (l *list) keepsHandle(name string) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 1
	l.by[name] = h
	return nil
}

func handleIsReturned(x float32) (pools.LinkHandle, error) {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return 0, err
	}
	v.X = x
	return h, nil
}

func bothAreReturned() (*pools.Vertex, pools.LinkHandle, error) {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return nil, 0, err
	}
	v.Z = 1
	return v, h, nil
}

func freesHandleOfBoth() error {
	v, h, err := bothAreReturned()
	if err != nil {
		return err
	}
	v.X = 2
	return pools.FreeLinkHandle(h)
}

func freesByHandle(n int) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	defer pools.FreeLinkHandle(h)
	if n == 0 {
		return errEmpty
	}
	v.X = float32(n)
	return nil
}

func freesByPointer() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	log.Print(h)
	return pools.FreeLink(v)
}

func (l *list) stale(name string) bool {
	h := l.by[name]
	if err := pools.FreeLinkHandle(h); err != nil {
		return false
	}
	_, ok := pools.GetLink(h) // refused
	return !ok
}

func (l *list) replaces(name string) error {
	if err := pools.FreeLinkHandle(l.by[name]); err != nil {
		return err
	}
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 3
	l.by[name] = h
	return nil
}

func (l *list) clears() (err error) {
	for name, h := range l.by {
		if v, ok := pools.GetLink(h); ok {
			log.Print(v.X)
		}
		err = errors.Join(err, pools.FreeLinkHandle(h))
		delete(l.by, name)
	}
	return err
}

func reads(h pools.LinkHandle) (float32, bool) {
	v, ok := pools.GetLink(h)
	if !ok {
		return 0, false
	}
	return v.X, true
}

func (l *list) keepsAddress(name string) error {
	b, err := pools.AllocRow(10)
	if err != nil {
		return err
	}
	l.addrs[name] = uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return nil
}

func (l *list) looksAtAddress(name string) (uint32, error) {
	b, err := pools.FindRow(l.addrs[name])
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (l *list) freesAddress(name string) error {
	b, err := pools.FindRow(l.addrs[name])
	if err != nil {
		return err
	}
	delete(l.addrs, name)
	return pools.FreeRow(b)
}

func addressOfBlock(n int) error {
	b, err := pools.AllocRow(n)
	if err != nil {
		return err
	}
	found, err := pools.FindRow(uintptr(unsafe.Pointer(&b[0])))
	if err != nil {
		return errors.Join(err, pools.FreeRow(b))
	}
	found[0] = 1
	return pools.FreeRow(found)
}

func indexOfBlock() error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	same := pools.LinkAtIndex(pools.IndexLink(v))
	same.X = 1
	return pools.FreeLink(same)
}

func freedIndex(v *pools.Vertex) (uint32, error) {
	if err := pools.FreeLink(v); err != nil {
		return 0, err
	}
	return pools.IndexLink(v), nil
}

func methods(p *pools.LinkPool, n int) error {
	h, v, err := p.AllocHandle()
	if err != nil {
		return err
	}
	if n > 0 {
		return p.Free(v)
	}
	if w, ok := p.Get(h); ok && p.Index(w) == p.Index(v) {
		w.X = 1
	}
	return p.FreeHandle(h)
}

func handleOfTwo(n int) error {
	h, _, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	if n > 0 {
		if err := pools.FreeLinkHandle(h); err != nil {
			return err
		}
		if h, _, err = pools.AllocLinkHandle(); err != nil {
			return err
		}
	}
	return pools.FreeLinkHandle(h)
}
