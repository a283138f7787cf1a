package main

import (
	"encoding/binary"
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// change says that a page is there from now on, or is not any more, in one number as the kernel takes it.
type change uint32

func newChange(page EntryID, there bool) change {
	c := change(page) << 1
	if there {
		c |= 1
	}
	return c
}

// mark tells the device which pages have come and gone, behind the work that makes it so.
func (l *Loader) mark(changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	// The host fills this buffer, so it must be one that no stream is at work with: Alloc, not AllocOn.
	up, err := l.pools.stages.Alloc(4 * len(changes))
	if err != nil {
		return err
	}
	for i, c := range changes {
		binary.NativeEndian.PutUint32(up[4*i:], uint32(c))
	}
	list, err := l.pools.transfers.AllocOn(len(changes), l.load)
	if err != nil {
		return errors.Join(err, l.pools.stages.Free(up))
	}
	if err = cuda.CopyToDeviceAsync(list.Addr(), up, l.load); err == nil {
		err = l.kernels.mark(l.table, list, l.load)
	}
	return errors.Join(err,
		l.pools.stages.FreeAsync(up, l.load), // for anybody, once the stream has read it
		l.pools.transfers.FreeOn(list, l.load))
}
