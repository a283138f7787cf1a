// Package freepart frees parts of blocks.
package freepart

import "example.com/vet/pools"

func shorter(src []byte) error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	n := copy(b, src)
	return pools.FreeText(b[:n]) // want `PG105: part of the block of pool Text is freed: the pool refuses that`
}

func later(src []byte) error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	b = b[:copy(b, src)]
	return pools.FreeText(b) // want `PG105`
}

func behind(b []byte) error {
	return pools.FreeText(b[4:]) // want `PG105: something inside the block is freed`
}

func span() error {
	b, err := pools.AllocBatch(64)
	if err != nil {
		return err
	}
	return pools.FreeBatch(b.Slice(0, 8)) // want `PG105`
}

// From here on, all is well.

func full(b []byte) error     { return pools.FreeText(b[:]) }
func ring(b []byte) error     { return pools.FreeRound(b[:cap(b)]) }
func returned(b []byte) error { return pools.FreeText(b) }

func restored(src []byte) error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	b = b[:copy(b, src)]
	return pools.FreeText(b[:cap(b)])
}

func sameSize(n int) error {
	b, err := pools.AllocText(n)
	if err != nil {
		return err
	}
	return pools.FreeText(b[:n])
}
