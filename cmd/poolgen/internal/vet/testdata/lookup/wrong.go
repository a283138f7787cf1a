package lookup

import (
	"errors"
	"log"

	"example.com/vet/pools"
)

var errEmpty = errors.New("empty")

func leaksOnError(n int) error {
	h, v, err := pools.AllocLinkHandle() // want `PG101: the block of pool Link is not freed on every path`
	if err != nil {
		return err
	}
	if n == 0 {
		return errEmpty
	}
	v.X = 1
	return pools.FreeLinkHandle(h)
}

func dropsHandle() error {
	_, v, err := pools.AllocLinkHandle() // want `PG101: the block of pool Link`
	if err != nil {
		return err
	}
	v.X = 1
	return nil
}

func printsIndex() error {
	v, err := pools.AllocLink() // want `PG101: the block of pool Link`
	if err != nil {
		return err
	}
	log.Print(pools.IndexLink(v))
	return nil
}

func handleTwice() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 1
	return errors.Join(pools.FreeLinkHandle(h), pools.FreeLinkHandle(h)) // want `PG103: the block of pool Link is freed twice`
}

func parameterTwice(h pools.LinkHandle) error {
	if err := pools.FreeLinkHandle(h); err != nil {
		return err
	}
	return pools.FreeLinkHandle(h) // want `PG103: the block is freed twice`
}

func handleThenPointer() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	if err := pools.FreeLinkHandle(h); err != nil {
		return err
	}
	return pools.FreeLink(v) // want `PG103: the block of pool Link is freed twice`
}

func pointerThenHandle() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	if err := pools.FreeLink(v); err != nil {
		return err
	}
	return pools.FreeLinkHandle(h) // want `PG103: the block of pool Link is freed twice`
}

func usedAfterHandle() (float32, error) {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return 0, err
	}
	err = pools.FreeLinkHandle(h)
	return v.X, err // want `PG102: the block of pool Link is used after it was freed`
}

func gotThenFreed(h pools.LinkHandle) (float32, error) {
	v, ok := pools.GetLink(h)
	if !ok {
		return 0, errEmpty
	}
	if err := pools.FreeLinkHandle(h); err != nil {
		return 0, err
	}
	return v.X, nil // want `PG102: the block is used after it was freed`
}

func (l *list) takenTwice(name string) error {
	h := l.by[name]
	delete(l.by, name)
	err := pools.FreeLinkHandle(h)
	return errors.Join(err, pools.FreeLinkHandle(h)) // want `PG103: the block is freed twice`
}

func deferredTwice() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	defer pools.FreeLinkHandle(h) // want `PG103: the block of pool Link is freed twice`
	v.X = 1
	return pools.FreeLinkHandle(h)
}

func drop(h pools.LinkHandle) error { return pools.FreeLinkHandle(h) }

func droppedTwice() error {
	h, v, err := pools.AllocLinkHandle()
	if err != nil {
		return err
	}
	v.X = 1
	return errors.Join(drop(h), pools.FreeLinkHandle(h)) // want `PG103: the block of pool Link is freed twice`
}

func droppedError(h pools.LinkHandle) {
	pools.FreeLinkHandle(h) // want `PG106`
}

func (l *list) foundAndUsed(name string) (uint32, error) {
	b, err := pools.FindRow(l.addrs[name])
	if err != nil {
		return 0, err
	}
	err = pools.FreeRow(b)
	return b[0], err // want `PG102: the block of pool Row is used after it was freed`
}

func indexedAndUsed(i uint32) (float32, error) {
	v := pools.LinkAtIndex(i)
	err := pools.FreeLink(v)
	return v.X, err // want `PG102: the block of pool Link is used after it was freed`
}

func foundOfOtherPool(i uint32) error {
	v := pools.LinkAtIndex(i)
	return pools.FreeCorner(v) // want `PG104: the block is of pool Link, and is given to pool Corner`
}

func methodsTwice(p *pools.LinkPool) error {
	h, v, err := p.AllocHandle()
	if err != nil {
		return err
	}
	v.X = 1
	return errors.Join(p.FreeHandle(h), p.Free(v)) // want `PG103: the block of pool Link is freed twice`
}
