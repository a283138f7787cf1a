package fixed

import (
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Handles // the condition of the declarations below

// A handle is the number of a block in its 32 low bits, and above it the generation of the block: the number of the life that the handle stands for, counted
// from 1, so 0 is no handle. A generation ends when the block is freed. It is kept for as long as the pool exists, also when the chunk is returned, so a handle
// never fits a later life. A block whose lives are used up is retired: it is not handed out again, and its chunk stays. There is one chunk, and there are no
// streams.

// lives is the number of lives of a block. The generation of a retired block is one more: no handle has that.
const lives = 1<<32 - 2

// retired is the entry of a retired block.
//
//poolgen:if feature.Handles
const retired = pending

// age ends a life of a live block. It reports false if that is the last life: [Core.retire] ends that one.
//
//poolgen:if feature.Handles
func (l *List) age(i uint64) bool {
	g := &l.gens[i]
	if *g == lives {
		return false
	}
	poolimpl.StoreRelaxed(g, *g+1) // Fits reads it without the lock
	return true
}

// retire ends the last life of the live block at an offset of the chunk. It reports false if there is no such block.
//
//poolgen:if feature.Handles
func (c *Core) retire(off uint64) bool {
	l, i := &c.list, number(off)
	if i >= uint64(len(l.next)) || l.next[i] != used {
		return false
	}
	poolimpl.StoreRelaxed(&l.gens[i], lives+1)
	l.next[i] = retired
	c.retired++
	return true
}

// ages returns room for the generations of n blocks, as many as are carved. Those of earlier chunks are kept.
//
//poolgen:if feature.Handles
func (c *Core) ages(n uint64) []uint32 {
	known := unsafe.Slice(c.generations.Load(), c.aged.Load())
	if uint64(len(known)) < n {
		more := make([]uint32, n)
		for i := copy(more, known); i < len(more); i++ {
			more[i] = 1
		}
		known = more
		c.generations.Store(&known[0])
		c.aged.Store(uint32(n)) // after the pointer, for Fits
	}
	return known
}

// Handle returns the handle of the live block at an offset of the chunk. The caller owns the block, and need not hold the lock. Handle is inlined.
//
//poolgen:if feature.Handles
func (c *Core) Handle(off uint64) uint64 {
	i := off / blockSize
	return i | uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(c.generations.Load()), i*4)))<<32
}

// Fits reports whether the block of a handle is live. The caller need not hold the lock. Fits is inlined, also into a caller that is inlined itself; with a
// function for the generation of a block, it would not be.
//
//poolgen:if feature.Handles
func (c *Core) Fits(h uint64) bool {
	return uint32(h) < c.aged.Load() && uint64(atomic.LoadUint32((*uint32)(unsafe.Add(unsafe.Pointer(c.generations.Load()), uint64(uint32(h))*4)))) == h>>32
}

// HandleOffset returns the offset of the block of a handle in the chunk.
//
//poolgen:if feature.Handles
func (c *Core) HandleOffset(h uint64) uint64 { return uint64(uint32(h)) * blockSize }

// FreeHandle frees the block of a handle. If the handle is stale, FreeHandle changes nothing and reports false; so it does for a block in its last life, which
// is left to [Core.FreeLast]. If [feature.Trims], the last live block of the chunk is left to it as well.
//
//poolgen:if feature.Handles
func (c *Core) FreeHandle(h uint64) bool {
	l, i, life := &c.list, uint64(uint32(h)), h>>32
	if i >= uint64(len(l.next)) || l.next[i] != used || uint64(l.gens[i]) != life || life == lives || (feature.Trims && c.allocated-c.freed == 1) {
		return false
	}
	poolimpl.StoreRelaxed(&l.gens[i], uint32(life)+1)
	c.freed++
	l.next[i], l.head = l.head, index(i)
	return true
}

// Judge returns the verdict on a free of the block of a handle: Freed if the block is live. On a stale handle it is Double, and Foreign if the pool has not
// handed out the handle.
//
//poolgen:if feature.Handles
func (c *Core) Judge(h uint64) poolimpl.Verdict {
	next, gens, i, life := c.list.next, c.ages(0), uint64(uint32(h)), h>>32 // the list has no generations while there is no chunk
	switch {
	case i >= uint64(len(gens)) || life == 0 || life > uint64(gens[i]):
		return poolimpl.Foreign
	case i >= uint64(len(next)) || next[i] != used || uint64(gens[i]) != life:
		return poolimpl.Double
	}
	return poolimpl.Freed
}

// FreeLast is [Core.FreeHandle] for every block, with the verdict of [Core.Judge].
//
//poolgen:if feature.Handles
func (c *Core) FreeLast(h uint64) (slot uint32, v poolimpl.Verdict) {
	if v = c.Judge(h); v != poolimpl.Freed {
		return 0, v
	}
	return c.Free(c.current.base+c.HandleOffset(h), itemBytes)
}

// Close drops the chunk, and with it all handles.
//
//poolgen:if feature.Handles
func (c *Core) Close() {
	c.aged.Store(0) // Fits may still read a generation: those stay in memory
	c.current, c.list, c.near, c.allocated, c.freed, c.retired = nil, List{}, nil, 0, 0, 0
	if feature.Counters {
		c.peak = 0
	}
}
