package fixed

import (
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// kinds returns parameters of all kinds that pools have: every feature with every block size, and every two features that exclude each other not.
func kinds() (list []Params) {
	sizes := []Params{{BlockSize: 64, ItemBytes: 64}, {BlockSize: 1, ItemBytes: 1}, {BlockSize: 24, ItemBytes: 24}, {BlockSize: 48, ItemBytes: 33}}
	for i := range 4 {
		for j := range 4 {
			p := sizes[(i+j)%4]
			p.Counters, p.Trims = j%2 == 0, j < 2 && i != 1
			p.Ranged, p.Streams, p.Handles = i == 1, i == 2, i == 3
			list = append(list, p)
		}
	}
	return list
}

// each runs a test with all parameters.
func each(t *testing.T, test func(t *testing.T, p Params)) {
	where(t, func(Params) bool { return true }, test)
}

// where runs a test with the parameters that fit.
func where(t *testing.T, fits func(Params) bool, test func(t *testing.T, p Params)) {
	for _, p := range kinds() {
		if fits(p) {
			t.Run(fmt.Sprintf("%+v", p), func(t *testing.T) { test(t, p) })
		}
	}
}

// several reports whether a pool may have more than one chunk.
func (p Params) several() bool { return !p.Handles }

// paced, ranged, streams and handles are for where.
func paced(p Params) bool   { return p.Streams && p.Counters }
func ranged(p Params) bool  { return p.Ranged }
func streams(p Params) bool { return p.Streams }
func handles(p Params) bool { return p.Handles }

func newCore(p Params) *Core {
	c := new(Core)
	c.Set(&p)
	return c
}

// AllocFast and FreeFast are the fast path, which generated code has with the block size as a constant.

func (c *Core) AllocFast() (slot uint32, off uint64, ok bool) {
	if !c.List.hasFreed() {
		return 0, 0, false
	}
	h := c.List.Head
	c.List.Head, c.List.Next[h] = c.List.Next[h], Used
	c.Handed++
	return c.Slot, uint64(h) * c.params.BlockSize, true
}

func (c *Core) FreeFast(addr uint64) bool {
	i := c.numbers.Of(addr - c.Base)
	if c.params.Handles && i < uint64(len(c.Near)) && c.Near[i] == Used && c.Gens[i] == Lives {
		return false
	}
	ok := c.freeNear(addr)
	return ok && (!c.params.Handles || Age(c.Gens, i))
}

// batch is the list of the blocks at hand, as generated code has it.
type batch struct {
	c    *Core
	head uint32
	next []uint32
}

func (c *Core) freeList() (slot uint32, b batch) {
	b.c = c
	slot, b.head, b.next = c.Slot, c.List.Head, c.List.Next
	return slot, b
}

func (c *Core) nearList() (base uint64, b batch) {
	b.c = c
	base, b.head, b.next = c.NearList()
	return base, b
}

// pop takes the first block off the list.
func (b *batch) pop() (off uint64, ok bool) {
	h := uint64(b.head)
	if h < uint64(len(b.next)) {
		b.head, b.next[h] = b.next[h], Used
		return h * b.c.params.BlockSize, true
	}
	return 0, false
}

// push puts a live block on the list.
func (b *batch) push(off uint64) bool {
	i := b.c.numbers.Of(off)
	if i >= uint64(len(b.next)) || b.next[i] != Used || b.c.params.Handles && !Age(b.c.Gens, i) {
		return false
	}
	b.head, b.next[i] = uint32(i), b.head
	return true
}

// free frees a block as the pools do.
func (c *Core) free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if ch := c.chunkAt(addr); ch != nil {
		slot = ch.slot
	}
	if c.FreeFast(addr) {
		return slot, poolimpl.Freed
	}
	return c.Free(addr, bytes)
}
