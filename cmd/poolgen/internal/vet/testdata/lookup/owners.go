package lookup

import (
	"errors"
	"sync"

	"example.com/vet/pools"
)

// All is well in this file: others own the handle, or the function frees it where it cannot be seen at once.

func freedByGoroutine(done chan<- error) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 1
	go func() { done <- pools.FreeLinkHandle(h) }()
	return nil
}

func freedByClosure(n int) (err error) {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pools.FreeLinkHandle(h)) }()
	if n == 0 {
		return errEmpty
	}
	v.X = float32(n)
	return nil
}

func freedByFlag(n int) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	freed := false
	if n > 0 {
		freed = true
		if err := pools.FreeLinkHandle(h); err != nil {
			return err
		}
	}
	if !freed {
		v.X = 1
		return pools.FreeLink(v)
	}
	return nil
}

type entry struct {
	handle pools.LinkHandle
	number uint64
	index  int
}

func inStruct() (*entry, error) {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return nil, err
	}
	v.X = 1
	return &entry{handle: h}, nil
}

func asNumber(e *entry) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 1
	e.number = uint64(h)
	return nil
}

func indexAsNumber(e *entry) error {
	v, err := pools.AllocLink()
	if err != nil {
		return err
	}
	e.index = int(pools.IndexLink(v)) - 1
	return nil
}

func (e *entry) close() error {
	h := pools.LinkHandle(e.number)
	e.number = 0
	if h == 0 {
		return nil
	}
	return pools.FreeLinkHandle(h)
}

func keep[T any](list *[]T, x T) { *list = append(*list, x) }

func inGeneric(list *[]pools.LinkHandle) error {
	h, _, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	keep(list, h)
	return nil
}

func sent(out chan<- pools.LinkHandle, stop <-chan bool) error {
	h, _, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	select {
	case out <- h:
		return nil
	case <-stop:
		return pools.FreeLinkHandle(h)
	}
}

func inSyncMap(m *sync.Map) error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.Y = 2
	m.Store(h, true)
	return nil
}

func many(n int) (list []pools.LinkHandle, err error) {
	defer func() {
		if err != nil {
			for _, h := range list {
				err = errors.Join(err, pools.FreeLinkHandle(h))
			}
		}
	}()
	for range n {
		h, v, err := pools.AllocLinkHandle()
		if err != nil {
			return list, err
		}
		v.X = 1
		list = append(list, h)
	}
	return list, nil
}

func previous(in <-chan pools.LinkHandle) (err error) {
	var old pools.LinkHandle
	for h := range in {
		if old != 0 {
			err = errors.Join(err, pools.FreeLinkHandle(old))
		}
		old = h
	}
	if old != 0 {
		err = errors.Join(err, pools.FreeLinkHandle(old))
	}
	return err
}

func chain(first uint32, next map[uint32]uint32) (err error) {
	for i := first; i != 0; i = next[i] {
		err = errors.Join(err, pools.FreeLink(pools.LinkAtIndex(i)))
	}
	return err
}

func neighbours(i uint32) error {
	a, b := pools.LinkAtIndex(i), pools.LinkAtIndex(i+1)
	err := pools.FreeLink(a)
	b.X = 1
	return errors.Join(err, pools.FreeLink(b))
}

func get(h pools.LinkHandle) *pools.Vertex {
	v, _ := pools.GetLink(h)
	return v
}

func gotByHelper() error {
	h, _, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v := get(h)
	v.X = 1
	return pools.FreeLink(v)
}

func refreshed(h pools.LinkHandle) (pools.LinkHandle, error) {
	if v, ok := pools.GetLink(h); ok && v.X > 0 {
		return h, nil
	}
	if err := pools.FreeLinkHandle(h); err != nil {
		return 0, err
	}
	h, _, err := pools.AllocLinkHandle()
	return h, err
}

func useRefreshed(h pools.LinkHandle) error {
	h, err := refreshed(h)
	if err != nil {
		return err
	}
	return pools.FreeLinkHandle(h)
}
