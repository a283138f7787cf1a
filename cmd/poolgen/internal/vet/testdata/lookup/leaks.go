package lookup

import (
	"log"
	"unsafe"

	"example.com/vet/pools"
)

// An index, a handle or an address that is only printed or looked up hides no leak, and none does before there is a number.

func address(b []uint32) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func indexIsLogged(n int) error {
	v, err := pools.AllocLink() // want `PG101: the block of pool Link is not freed on every path`
	if err != nil {
		return err
	}
	i := pools.IndexLink(v)
	log.Print(i)
	if n == 0 {
		return errEmpty
	}
	return pools.FreeLink(v)
}

func leaksBeforeTheIndex(n int) error {
	v, err := pools.AllocLink() // want `PG101`
	if err != nil {
		return err
	}
	if n == 0 {
		return errEmpty
	}
	i := pools.IndexLink(v)
	if i != 0 {
		return pools.FreeLink(pools.LinkAtIndex(i))
	}
	return nil
}

func leaksInLoop(n int) error {
	for i := range n {
		h, v, err := pools.AllocLinkHandle() // want `PG101`
		if err != nil {
			return err
		}
		v.X = float32(i)
		if i == 3 {
			continue
		}
		if err := pools.FreeLinkHandle(h); err != nil {
			return err
		}
	}
	return nil
}

func leaksOther(n int) error {
	v, err := pools.AllocLink() // want `PG101`
	if err != nil {
		return err
	}
	w, err := pools.AllocLink()
	if err != nil {
		return err
	}
	i := pools.IndexLink(w)
	if i == uint32(n) {
		return errEmpty
	}
	v.X = 1
	if err := pools.FreeLink(w); err != nil {
		return err
	}
	return pools.FreeLink(v)
}

func comparedAndFreedTwice() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	if h == 0 {
		return nil
	}
	if err := pools.FreeLinkHandle(h); err != nil {
		return err
	}
	return pools.FreeLink(v) // want `PG103`
}
