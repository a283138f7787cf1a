package slabs

import "github.com/poolgen/poolgen/runtime/poolimpl"

// BlockAt returns the live block that starts at addr, and the bytes that the block was asked for with. Costs no lock, unless the block is of no slab
// any more.
func (c *Core) BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool) {
	s := c.find(addr)
	if s == nil || addr-s.addr >= s.room {
		return c.back.BlockAt(addr)
	}
	p := s.locate(addr)
	if p.line != nil {
		if word := p.word.Load(); word&sealed == 0 {
			return s.slot, s.off + addr - s.addr, s.asked(p), c.isLive(word, p.bit())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s = c.find(addr)
	if s.holder(addr) == inBack {
		return c.back.BlockAt(addr)
	}
	if p = s.locate(addr); p.line == nil {
		return 0, 0, 0, false
	}
	return s.slot, s.off + addr - s.addr, s.asked(p), c.isLive(p.word.Load()&^sealed, p.bit())
}

// Resize makes the block at addr, of bytes bytes, one of n bytes. It reports false, and changes nothing, if there is no such block, if the bin of n
// bytes is another one, if the block is of a dissolved slab or, for a block of no slab, if the suballocator behind does not resize it. Costs the lock of the slabs:
// no slab is dissolved meanwhile.
func (c *Core) Resize(addr, bytes, n uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.find(addr)
	switch s.holder(addr) {
	case inBack:
		return c.binOf(n) >= int(c.usable.Load()) && c.back.Resize(addr, bytes, n)
	case inDissolved:
		return false
	}
	p := s.locate(addr)
	if p.line == nil || !c.isLive(p.word.Load(), p.bit()) || s.asked(p) != bytes || c.binOf(n) != s.bin {
		return false
	}
	poolimpl.StoreRelaxed16(p.spareOf(p.k), uint16(uint64(s.size)-n))
	s.noteChange()
	return true
}
