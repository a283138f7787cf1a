package poolimpl

import (
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fakeCore is a simple suballocator: first fit over sorted blocks, with its state in maps.
type fakeCore struct {
	chunks  map[uint32]*fakeChunk
	emptied bool // report chunks that became empty
	cached  int  // how many calls of Flush will find something
	onUsed  func()
	live    uint64
	bytes   uint64
	freed   map[uint64]bool // addresses freed since they were last handed out
}

type fakeChunk struct {
	base, size uint64
	blocks     []fakeBlock // by offset
}

type fakeBlock struct{ off, size uint64 }

func (c *fakeCore) Add(slot uint32, base, size uint64) {
	if c.chunks == nil {
		c.chunks, c.freed = map[uint32]*fakeChunk{}, map[uint64]bool{}
	}
	if c.chunks[slot] != nil {
		panic("slot is taken")
	}
	c.chunks[slot] = &fakeChunk{base: base, size: size}
}

func (c *fakeCore) Remove(slot uint32) {
	if len(c.chunks[slot].blocks) > 0 {
		panic("chunk is in use")
	}
	delete(c.chunks, slot)
}

func (c *fakeCore) Used(slot uint32) uint64 {
	if c.onUsed != nil {
		c.onUsed()
	}
	n := uint64(0)
	if ch := c.chunks[slot]; ch != nil {
		for _, b := range ch.blocks {
			n += b.size
		}
	}
	return n
}

func (c *fakeCore) Need(bytes, _ uint64) uint64 { return bytes }

func (c *fakeCore) Alloc(bytes, align uint64) (uint32, uint64, bool) {
	slots := make([]uint32, 0, len(c.chunks))
	for slot := range c.chunks {
		slots = append(slots, slot)
	}
	slices.Sort(slots)
	for _, slot := range slots {
		ch := c.chunks[slot]
		at := uint64(0)
		for i := 0; i <= len(ch.blocks); i++ {
			end := ch.size
			if i < len(ch.blocks) {
				end = ch.blocks[i].off
			}
			off := at + -(ch.base+at)&(align-1)
			if off <= end && bytes <= end-off {
				ch.blocks = slices.Insert(ch.blocks, i, fakeBlock{off, bytes})
				c.live++
				c.bytes += bytes
				delete(c.freed, ch.base+off)
				return slot, off, true
			}
			if i < len(ch.blocks) {
				at = end + ch.blocks[i].size
			}
		}
	}
	return 0, 0, false
}

func (c *fakeCore) Free(addr, bytes uint64) (uint32, Verdict) {
	for slot, ch := range c.chunks {
		for i, b := range ch.blocks {
			if ch.base+b.off != addr || b.size != bytes {
				continue
			}
			ch.blocks = slices.Delete(ch.blocks, i, i+1)
			c.live--
			c.bytes -= bytes
			c.freed[addr] = true
			if c.emptied && len(ch.blocks) == 0 {
				return slot, Emptied
			}
			return slot, Freed
		}
	}
	if c.freed[addr] {
		return 0, Double
	}
	return 0, Foreign
}

// Reset frees all blocks.
func (c *fakeCore) Reset() {
	for _, ch := range c.chunks {
		for _, b := range ch.blocks {
			c.freed[ch.base+b.off] = true
		}
		ch.blocks = nil
	}
	c.live, c.bytes = 0, 0
}

func (c *fakeCore) Undo(addr, bytes uint64) (uint32, Verdict) { return c.Free(addr, bytes) }

func (c *fakeCore) Flush() bool {
	if c.cached == 0 {
		return false
	}
	c.cached--
	return true
}

func (c *fakeCore) Usage() Usage {
	u := Usage{Live: c.live, LiveBytes: c.bytes, Occupied: c.bytes}
	for _, ch := range c.chunks {
		if len(ch.blocks) == 0 {
			u.LargestFree = max(u.LargestFree, ch.size)
		}
	}
	return u
}

func (c *fakeCore) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	ch := c.chunks[slot]
	at := uint64(0)
	for _, b := range append(slices.Clone(ch.blocks), fakeBlock{off: ch.size}) {
		if b.off > at && b.off > from && !see(poolrt.Piece{Off: at, Size: b.off - at}) {
			return
		}
		at = b.off + b.size
		if b.size > 0 && at > from && !see(poolrt.Piece{Off: b.off, Size: b.size, Asked: b.size, State: poolrt.PieceLive}) {
			return
		}
	}
}
