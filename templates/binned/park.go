package binned

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	"github.com/poolgen/poolgen/templates/heap"
	"github.com/poolgen/poolgen/templates/tally"
)

// Park makes a live block a parked one. It counts as given back, but takes up its place; a free of it is refused. In a slab it is
// neither on the list nor on the shelf: so it is not free for anybody. Constant time.
//
//poolgen:if feature.Streams
func (c *Core) Park(addr, bytes uint64) runtime.Verdict {
	s, i := c.slabOf(addr, bytes)
	if s == nil {
		return c.parkBlock(addr, bytes)
	}
	size := uint64(s.size)
	slack := size - bytes
	e := c.entry(s, i)
	if s.addr+i*size != addr || slack >= mark || *e != uint16(mark+slack) {
		return c.judge(addr)
	}
	*e = parked
	c.parked += size
	c.count.Give(bytes)
	return runtime.Freed
}

// parkBlock parks a block that is in no slab.
//
//poolgen:if feature.Streams
func (c *Core) parkBlock(addr, bytes uint64) runtime.Verdict {
	link := c.space.Find(addr)
	if link == nil || !heap.Live(&c.space, *link) {
		return c.judge(addr)
	}
	if c.space.Asked(*link) != bytes {
		return runtime.Foreign
	}
	heap.Suspend(&c.space, *link)
	c.count.Give(bytes)
	return runtime.Freed
}

// Unpark makes a parked block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Unpark(addr, bytes uint64) (slot uint32, off uint64) {
	slot, off = c.wake(addr, bytes)
	c.count.Take(bytes)
	return slot, off
}

// Retire frees a parked block. It was counted when it was parked.
//
//poolgen:if feature.Streams
func (c *Core) Retire(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	c.wake(addr, bytes)
	tally.Again(&c.count, bytes)
	return c.Free(addr, bytes)
}

// Undo takes back a block as if it had never been handed out. The peak alone remembers it.
//
//poolgen:if feature.Streams
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == runtime.Freed || v == runtime.Emptied {
			c.count.Forget()
		}
	}
	return slot, v
}

// wake makes a parked block a live one, in all but the count.
//
//poolgen:if feature.Streams
func (c *Core) wake(addr, bytes uint64) (slot uint32, off uint64) {
	s, i := c.slabOf(addr, bytes)
	if s == nil {
		i := *c.space.Find(addr)
		heap.Revive(&c.space, i)
		return c.space.Place(i)
	}
	size := uint64(s.size)
	*c.entry(s, i) = uint16(mark + size - bytes)
	c.parked -= size
	return s.slot, s.off + i*size
}

// slabOf returns the slab that an address lies in, and the index of the block that may start there; nil if a block of that many bytes
// is in none.
//
//poolgen:if feature.Streams || feature.Shareable
func (c *Core) slabOf(addr, bytes uint64) (*slab, uint64) {
	if bytes-1 >= c.top {
		return nil, 0
	}
	s := c.at(c.pages.find(addr))
	i := (addr - s.addr) * uint64(s.recip) >> recipBits
	if i >= uint64(s.blocks) {
		return nil, 0
	}
	return s, i
}
