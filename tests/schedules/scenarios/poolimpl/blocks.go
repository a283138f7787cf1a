//go:build explored

package poolimpl

import (
	"math/bits"
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// fewBlocks is the core of the pools here: up to three chunks, each of up to four units. All that it knows is
// one number, which each operation changes in one step, so it is a core for any number of goroutines whose
// schedules need not be explored.
type fewBlocks struct {
	state  atomic.Uint64
	base   [fewChunks]uint64
	allocs uint64
	peak   int
}

const fewChunks, fewUnits = 3, 4

// few is what fewBlocks.state says: a bit for each unit, and for each chunk in far.
type few struct {
	there, taken, first, pending uint64
	far                          uint64 // chunks of another processor: Alloc does not see them
}

// step changes the state.
func (c *fewBlocks) step(what string, f func(s *few)) {
	c.state.Cell().Update(what, func(v explore.Value) explore.Value {
		const all = 1<<(fewChunks*fewUnits) - 1
		s := few{v.N & all, v.N >> 12 & all, v.N >> 24 & all, v.N >> 36 & all, v.N >> 48}
		f(&s)
		return explore.Value{N: s.there | s.taken<<12 | s.first<<24 | s.pending<<36 | s.far<<48}
	})
}

// units returns the bits of n units of a chunk.
func units(slot uint32, first, n uint64) uint64 { return (1<<n - 1) << (uint64(slot)*fewUnits + first) }

func whole(slot uint32) uint64 { return units(slot, 0, fewUnits) }

func (s *few) live() int { return bits.OnesCount64(s.first &^ s.pending) }

// block returns the bits of a block; 0: there is no such memory.
func (c *fewBlocks) block(s *few, addr, bytes uint64) (slot uint32, m uint64) {
	for slot := range uint32(fewChunks) {
		if off := addr - c.base[slot]; off < fewUnits {
			if m := units(slot, off, bytes); m&s.there == m {
				return slot, m
			}
		}
	}
	return 0, 0
}

// search takes a block.
func (c *fewBlocks) search(what string, bytes uint64, any bool) (slot uint32, off uint64, ok bool) {
	c.step(what, func(s *few) { slot, off, ok = c.takeIn(s, bytes, any) })
	return slot, off, ok
}

func (c *fewBlocks) takeIn(s *few, bytes uint64, any bool) (uint32, uint64, bool) {
	for slot := range uint32(fewChunks) {
		for off := uint64(0); off+bytes <= fewUnits && (any || s.far>>slot&1 == 0); off++ {
			if m := units(slot, off, bytes); s.there&m == m && s.taken&m == 0 {
				s.taken |= m
				s.first |= m & -m
				c.allocs++
				c.peak = max(c.peak, s.live())
				return slot, off, true
			}
		}
	}
	return 0, 0, false
}

// give changes a block that is live, or pending.
func (c *fewBlocks) give(what string, addr, bytes uint64, pending bool,
	f func(s *few, m uint64)) (slot uint32, v Verdict) {
	c.step(what, func(s *few) {
		var m uint64
		slot, m = c.block(s, addr, bytes)
		switch {
		case m == 0:
			v = Foreign
		case s.taken&m != m || s.first&m != m&-m || (s.pending&m != 0) != pending:
			v = Double
		default:
			f(s, m)
		}
	})
	return slot, v
}

func (s *few) free(m uint64) { s.taken, s.first, s.pending = s.taken&^m, s.first&^m, s.pending&^m }

func (c *fewBlocks) Add(slot uint32, base, size uint64) {
	c.base[slot] = base
	c.step("core: Add", func(s *few) { s.there |= units(slot, 0, size) })
}

func (c *fewBlocks) Remove(slot uint32) {
	if !c.Evict(slot) {
		explore.Failf("a chunk with blocks is removed")
	}
}

func (c *fewBlocks) Evict(slot uint32) (ok bool) {
	c.step("core: Evict", func(s *few) {
		if ok = s.taken&whole(slot) == 0; ok {
			s.there &^= whole(slot)
			s.far &^= 1 << slot
		}
	})
	return ok
}

func (c *fewBlocks) Used(slot uint32) (n uint64) {
	c.step("core: Used", func(s *few) { n = uint64(bits.OnesCount64(s.taken & whole(slot))) })
	return n
}

func (c *fewBlocks) Need(bytes, _ uint64) uint64 { return bytes }
func (c *fewBlocks) Flush() bool                 { return false }

func (c *fewBlocks) Alloc(bytes, _ uint64) (uint32, uint64, bool) {
	return c.search("core: Alloc", bytes, false)
}

func (c *fewBlocks) Free(addr, bytes uint64) (uint32, Verdict) {
	return c.give("core: Free", addr, bytes, false, (*few).free)
}

func (c *fewBlocks) Undo(addr, bytes uint64) (uint32, Verdict) {
	return c.give("core: Undo", addr, bytes, false, func(s *few, m uint64) { s.free(m); c.allocs-- })
}

func (c *fewBlocks) Usage() (u Usage) {
	c.step("core: Usage", func(s *few) { u = c.usage(s) })
	return u
}

func (c *fewBlocks) usage(s *few) Usage {
	n := bits.OnesCount64(s.taken &^ s.pending)
	return Usage{Live: uint64(s.live()), LiveBytes: uint64(n), Occupied: uint64(n),
		PeakBytes: uint64(c.peak), Allocs: c.allocs}
}

func (c *fewBlocks) Walk(uint32, uint64, func(poolrt.Piece) bool) {}

// fewShared is fewBlocks as a [SearchedCore].
type fewShared struct{ *fewBlocks }

func (c fewShared) AllocAny(bytes, _ uint64) (uint32, uint64, bool) {
	return c.search("core: AllocAny", bytes, true)
}

func (c fewShared) AllocOrCount(bytes, _ uint64) (slot uint32, off uint64, u Usage, ok bool) {
	c.step("core: AllocOrCount", func(s *few) {
		if slot, off, ok = c.takeIn(s, bytes, true); !ok {
			u = c.usage(s)
		}
	})
	return slot, off, u, ok
}

// Steal takes two steps: nobody finds a block of the chunk in between.
func (c fewShared) Steal() (any bool) {
	var slot uint32
	var m uint64
	c.step("core: Steal", func(s *few) {
		for slot = range uint32(fewChunks) {
			if m = s.there & whole(slot); m != 0 && s.far>>slot&1 != 0 && s.taken&m == 0 {
				s.there &^= m
				return
			}
		}
		m = 0
	})
	if m != 0 {
		c.step("core: Steal ends", func(s *few) { s.there |= m; s.far &^= 1 << slot })
	}
	return m != 0
}

func (c fewShared) Shut(force bool) (ok bool) {
	c.step("core: Shut", func(s *few) {
		if ok = force || s.live() == 0; ok {
			*s = few{}
		}
	})
	return ok
}

// fewStreams is fewShared as a [StreamCore].
type fewStreams struct{ fewShared }

func (c fewStreams) Defer(addr, bytes uint64) Verdict {
	_, v := c.give("core: Defer", addr, bytes, false, func(s *few, m uint64) { s.pending |= m })
	return v
}

func (c fewStreams) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	slot, v := c.give("core: Reuse", addr, bytes, true, func(s *few, m uint64) { s.pending &^= m; c.allocs++ })
	if v != Freed {
		explore.Failf("the block at %#x is reused, and is not pending", addr)
	}
	return slot, addr - c.base[slot]
}

func (c fewStreams) Reclaim(addr, bytes uint64) (slot uint32, v Verdict) {
	slot, v = c.give("core: Reclaim", addr, bytes, true, (*few).free)
	if v != Freed {
		explore.Failf("the block at %#x is reclaimed, and is not pending", addr)
	}
	return slot, v
}

// arena is a source of memory at fixed addresses.
type arena struct {
	state atomic.Uint64 // a bit for each piece given out
	size  [8]int64
	bytes int64 // given out
	most  int64 // that may be, at this moment
	has   int64 // that it has in all; 0: any number
	ended bool  // it must not be called any more
}

func (a *arena) Alloc(size, _ int64) (c Chunk, err error) {
	a.state.Cell().Update("source: Alloc", func(v explore.Value) explore.Value {
		if a.has > 0 && a.bytes+size > a.has {
			err = poolrt.ErrOutOfMemory
			return v
		}
		i := bits.TrailingZeros64(^v.N)
		a.size[i] = size
		a.bytes += size
		switch {
		case a.ended:
			explore.Failf("memory is obtained after Close")
		case a.bytes > a.most:
			explore.Failf("%d bytes are obtained, with a limit of %d", a.bytes, a.most)
		}
		c = Chunk{Addr: 0x1000 + 16*uint64(i), Size: size}
		v.N |= 1 << i
		return v
	})
	return c, err
}

func (a *arena) Free(c Chunk) error {
	a.state.Cell().Update("source: Free", func(v explore.Value) explore.Value {
		i := (c.Addr - 0x1000) / 16
		if i >= 8 || v.N>>i&1 == 0 || a.size[i] != c.Size {
			explore.Failf("%d bytes at %#x go back, and the source has not given them out", c.Size, c.Addr)
		}
		if a.ended {
			explore.Failf("memory goes back after Close")
		}
		a.bytes -= c.Size
		v.N &^= 1 << i
		return v
	})
	return nil
}
