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

func array() error {
	p, err := pools.AllocChunk()
	if err != nil {
		return err
	}
	return pools.FreeChunk((*pools.ChunkBlock)(p[8:])) // want `PG105: something inside the block of pool Chunk`
}

func bytesOfArray() error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	return pools.FreeText((*[8]byte)(b)[:]) // want `PG105`
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

// A slice becomes a pointer to an array of the block's type: Go sees to it that it is all of the block.
func get() []byte {
	p, err := pools.AllocChunk()
	if err != nil {
		panic(err)
	}
	return p[:]
}

func put(chunk []byte) error     { return pools.FreeChunk((*pools.ChunkBlock)(chunk)) }
func putPart(chunk []byte) error { return pools.FreeChunk((*pools.ChunkBlock)(chunk[:64<<10])) }

func putAll() error {
	if err := putPart(get()[:100]); err != nil {
		return err
	}
	p, err := pools.AllocChunk()
	if err != nil {
		return err
	}
	part := p[:100]
	return pools.FreeChunk((*pools.ChunkBlock)(part[:cap(part)]))
}
