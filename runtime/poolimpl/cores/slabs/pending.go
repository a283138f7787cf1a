package slabs

import "github.com/poolgen/poolgen/runtime/poolimpl"

// AllocOn is AllocFast for a stream, by its number. A stream is served as if its goroutines always ran on the same processor: it keeps the blocks that
// are freed on it, and so their lines.
func (c *Core) AllocOn(stream, bytes uint64) (slot uint32, off uint64, ok bool) {
	n := int(c.usable.Load())
	if n == 0 {
		return c.back.Alloc(bytes, 1)
	}
	b := c.binOf(bytes)
	if b >= n {
		return c.back.Alloc(bytes, 1)
	}
	return c.nextSlab(&c.procCaches[stream%uint64(c.spread.Load())], b, bytes)
}

// Defer makes a live block pending: it is not live, but keeps its place. Of several concurrent frees of a block, with Defer or [Core.Free], one
// succeeds.
func (c *Core) Defer(addr, bytes uint64) poolimpl.Verdict {
	_, v := c.DeferRounded(addr, bytes)
	return v
}

// DeferRounded is Defer, and returns a length up to which requests can have the block, with [Core.Reuse]: that of the blocks of its slab, if it
// is in one.
func (c *Core) DeferRounded(addr, bytes uint64) (rounded uint64, v poolimpl.Verdict) {
	s := c.find(addr)
	if s == nil {
		return bytes, c.back.Defer(addr, bytes)
	}
	p := s.locate(addr)
	for p.line != nil {
		old := p.word.Load()
		if !c.isLive(old, p.bit()) {
			return c.deferRefused(s, addr, bytes, poolimpl.Double)
		}
		if s.asked(p) != bytes {
			break
		}
		if p.word.CompareAndSwap(old, old|p.bit()<<perLine) {
			s.noteChange()
			return uint64(s.size), poolimpl.Freed
		}
	}
	return c.deferRefused(s, addr, bytes, poolimpl.Foreign)
}

// ofBin returns the size of the smallest bin for a request, or the request itself if no bin is large enough.
func (c *Core) ofBin(bytes uint64) uint64 {
	if b := c.binOf(bytes); b < len(c.bins) {
		return c.bins[b]
	}
	return bytes
}

// Rounded returns the length that a request of so many bytes is rounded up to.
func (c *Core) Rounded(bytes uint64) uint64 {
	if n := int(c.usable.Load()); n > 0 {
		if b := c.binOf(bytes); b < n {
			return c.bins[b]
		}
	}
	return bytes
}

// deferRefused defers a block that slab s refused with verdict v, as [Core.freeRefused] frees it.
//
//go:noinline
func (c *Core) deferRefused(s *slab, addr, bytes uint64, v poolimpl.Verdict) (rounded uint64, _ poolimpl.Verdict) {
	switch s.holder(addr) {
	case inSlab:
		return bytes, v
	case inBack:
		return bytes, c.back.Defer(addr, bytes)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s = c.find(addr)
	switch s.holder(addr) {
	case inSlab:
		return c.DeferRounded(addr, bytes) // which takes no lock, as no slab is sealed meanwhile
	case inBack:
		return bytes, c.back.Defer(addr, bytes)
	}
	return c.ofBin(bytes), c.deferDissolved(s, s.locate(addr), bytes)
}

// deferDissolved defers a block of a dissolved slab. c.mu is held.
func (c *Core) deferDissolved(s *slab, p place, bytes uint64) poolimpl.Verdict {
	switch {
	case !c.isLive(p.word.Load()&^sealed, p.bit()):
		return poolimpl.Double
	case s.asked(p) != bytes:
		return poolimpl.Foreign
	}
	p.word.Or(p.bit() << perLine)
	c.setSums(s, s.sums.minus(sums{live: 1, bytes: bytes, occupied: uint64(s.size)}))
	return poolimpl.Freed
}

// Reuse makes a pending block live again, for a request of any length that the block has room for. The block counts as handed out once more.
func (c *Core) Reuse(addr, bytes uint64) (slot uint32, off uint64) {
	s := c.find(addr)
	if s == nil {
		return c.back.Reuse(addr, bytes)
	}
	p, once := s.locate(addr), s.once()
	for p.line != nil {
		old := p.word.Load()
		if old >= s.countFull() {
			if old&sealed != 0 {
				break
			}
			s.moveOverflow(&p.word)
			continue
		}
		poolimpl.StoreRelaxed16(p.spareOf(p.k), uint16(uint64(s.size)-bytes)) // only the caller may use the block
		if p.word.CompareAndSwap(old, old&^(p.bit()<<perLine)+once) {
			s.noteChange()
			return s.slot, s.off + addr - s.addr
		}
	}
	return c.reuseElsewhere(addr, bytes)
}

// reuseElsewhere is Reuse for a block that is behind the slab on its page, or in a slab that was dissolved, perhaps just now.
//
//go:noinline
func (c *Core) reuseElsewhere(addr, bytes uint64) (slot uint32, off uint64) {
	if c.find(addr).holder(addr) == inBack {
		return c.back.Reuse(addr, bytes)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.find(addr)
	if s.holder(addr) == inBack { // a block of the slab was there, and has just been freed
		return c.back.Reuse(addr, bytes)
	}
	p := s.locate(addr)
	poolimpl.StoreRelaxed16(p.spareOf(p.k), uint16(uint64(s.size)-bytes))
	p.word.And(^(p.bit() << perLine))
	c.addSums(s, sums{live: 1, bytes: bytes, occupied: uint64(s.size)})
	if c.params.Counters {
		c.retired.Allocs++
	}
	return s.slot, s.off + addr - s.addr
}

// Reclaim frees a pending block.
func (c *Core) Reclaim(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	one := [1]uint64{addr}
	_, slot, v = c.ReclaimRun(one[:], bytes)
	return slot, v
}

// ReclaimRun frees the first of some pending blocks, and those behind it up to the first of another line. It returns how many.
func (c *Core) ReclaimRun(addrs []uint64, bytes uint64) (n int, slot uint32, v poolimpl.Verdict) {
	s := c.find(addrs[0])
	if s == nil {
		slot, v = c.back.Reclaim(addrs[0], bytes)
		return 1, slot, v
	}
	p := s.locate(addrs[0])
	if p.line != nil {
		some := p.bit()
		for n = 1; n < len(addrs); n++ {
			next := s.locate(addrs[n])
			if next.line != p.line {
				break
			}
			some |= next.bit()
		}
		if s.reclaim(p, some) {
			return n, s.slot, poolimpl.Freed
		}
	}
	slot, v = c.reclaimElsewhere(addrs[0], bytes)
	return 1, slot, v
}

// reclaim frees some pending blocks of the line of a place. It fails if the line is sealed.
func (s *slab) reclaim(p place, some uint64) bool {
	for {
		old := p.word.Load()
		if old&sealed != 0 {
			return false
		}
		if p.word.CompareAndSwap(old, old&^(some|some<<perLine)) {
			if old&all == all {
				s.noteOpened(p.w)
			}
			s.noteChange()
			return true
		}
	}
}

// reclaimElsewhere is Reclaim for a block that is behind the slab on its page, or in a slab that was dissolved, perhaps just now.
//
//go:noinline
func (c *Core) reclaimElsewhere(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if c.find(addr).holder(addr) == inBack {
		return c.back.Reclaim(addr, bytes)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.find(addr)
	if s.holder(addr) == inBack { // a block of the slab was there, and has just been freed
		return c.back.Reclaim(addr, bytes)
	}
	c.addSums(s, sums{live: 1, bytes: uint64(s.size), occupied: uint64(s.size)})
	return c.freeDissolved(s, s.locate(addr), addr)
}
