package ring

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

// parkedMark is added to the length of a block that is parked. It keeps its place in the queue, so that the space up to it does not come
// back when those before it are freed.
const parkedMark = 1 << 63

// Park makes a live block a parked one. It counts as freed, but takes up its place; a free of it is refused. A few nanoseconds if it is the
// oldest, or if blocks are parked in the order of their age, else the cost of a search. While blocks are parked, those of
// their arena are freed by the slow path.
//
//poolgen:if feature.Streams
func (c *Core) Park(addr, bytes uint64) runtime.Verdict {
	a, n, ok := c.locate(addr)
	if !ok {
		return runtime.Foreign
	}
	b := a.at(n)
	if v := b.judge(bytes); v != runtime.Freed {
		return v
	}
	b.bytes += parkedMark
	a.struck++
	a.sure = 0
	c.parked += roomOf(bytes)
	c.give(bytes)
	return runtime.Freed
}

// Unpark makes a parked block live again: it was handed out once more.
//
//poolgen:if feature.Streams
func (c *Core) Unpark(addr, bytes uint64) (slot uint32, off uint64) {
	a, n, _ := c.locate(addr)
	a.at(n).bytes = bytes
	a.struck--
	c.parked -= roomOf(bytes)
	c.taken += bytes
	if feature.Counters {
		c.gone++
	}
	return a.slot, addr - a.base
}

// Retire frees a parked block. It was counted when it was parked.
//
//poolgen:if feature.Streams
func (c *Core) Retire(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	a, n, _ := c.locate(addr)
	c.parked -= roomOf(bytes)
	if n != a.oldest {
		a.at(n).bytes = 0
		return a.slot, runtime.Freed
	}
	a.struck--
	a.pop()
	if a != &c.now {
		c.file(a)
	}
	if a.oldest == a.newest {
		v = c.drained(a)
	}
	return a.slot, v
}

// Undo takes back a block as if it had never been handed out. The peak alone remembers it.
//
//poolgen:if feature.Streams
func (c *Core) Undo(addr, bytes uint64) (slot uint32, v runtime.Verdict) {
	slot, v = c.Free(addr, bytes)
	if feature.Counters {
		if v == runtime.Freed || v == runtime.Emptied {
			c.gone--
		}
	}
	return slot, v
}

// locate returns the arena and the number of the block that starts at an address.
//
//poolgen:if feature.Streams || feature.Shareable
func (c *Core) locate(addr uint64) (a *arena, number uint64, ok bool) {
	a = c.last
	if a == nil || addr-a.base-a.start >= a.size {
		if a = c.arenaOf(addr); a == nil {
			return nil, 0, false
		}
		c.last = a
	}
	off := addr - a.base
	n := a.newest - a.oldest
	for _, guess := range [...]uint64{c.near, c.near + 1, a.oldest} {
		if guess-a.oldest < n && a.at(guess).off == off {
			c.near = guess
			return a, guess, true
		}
	}
	if number, ok = a.search(off); ok {
		c.near = number
	}
	return a, number, ok
}

// roomOf returns the bytes that a block takes up.
//
//poolgen:if feature.Streams
func roomOf(bytes uint64) uint64 { return (bytes + granule - 1) &^ (granule - 1) }
