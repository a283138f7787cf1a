package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// exclusiveTurn is the lowest bit of the turn that a pool is in. If it is set, no processor uses its magazine, and all are empty as soon as the goroutine that began the
// turn has released the lock of recalls.
const exclusiveTurn uint32 = 1

// recall stops the use of magazines on all processors, and frees the blocks in them. The caller holds the lock of recalls.
//
// A goroutine that is pinned may have seen the turn before, and be at its magazine. But none is stopped while pinned: once all were stopped, there is none left
// who has not seen the new turn.
//
//poolgen:if feature.Magazines
func (c *Core) recall() {
	if c.turn.Load()&exclusiveTurn != 0 {
		return
	}
	c.turn.Add(1)
	poolimpl.Synchronize()
	for i := range c.magazines {
		m := &c.magazines[i]
		if some := uint64(atomic.LoadUint32(&m.some)); some != 0 {
			poolimpl.Pin()
			old, now := m.drain(some)
			poolimpl.Unpin()
			if feature.Counters {
				c.undone.Add(uint64(bits.OnesCount64(some)))
			}
			c.afterFree(m.ch, m.word, old, now)
		}
		m.ch, m.inMagazine = nil, nil
		poolimpl.StoreRelaxed(&m.singles, 0)
	}
	c.gate.open() // it may have been shut while blocks lay in magazines
}

// recalled is recall that returns the turn.
//
//poolgen:if feature.Magazines
func (c *Core) recalled() uint32 {
	c.recalls.Lock()
	defer c.recalls.Unlock()
	c.recall()
	return c.turn.Load()
}

// allocAnyRecalled is Alloc that finds blocks in the magazines of others, too. It fails only if at some time no block was free, nor in a magazine.
//
//poolgen:if feature.Magazines
func (c *Core) allocAnyRecalled() (slot uint32, off uint64, ok bool) {
	if slot, off, ok = c.Alloc(itemBytes, 1); ok {
		return slot, off, true
	}
	for {
		turn := c.recalled()
		if slot, off, ok, sure := c.allocDuring(turn); sure {
			return slot, off, ok
		}
	}
}

// allocDuring is Alloc with all that is free in sight, as long as a turn without magazines lasts. If it has ended meanwhile, a failure is not sure.
//
//poolgen:if feature.Magazines
func (c *Core) allocDuring(turn uint32) (slot uint32, off uint64, ok, sure bool) {
	slot, off, ok = c.Alloc(itemBytes, 1)
	return slot, off, ok, ok || c.turn.Load() == turn
}

// maybeEndTurn ends a turn without magazines when free blocks are plenty: when more than half of a word is free, which a block was just taken from. Before
// that, a processor has to take so many blocks one by one that stopping all processors once more, as the next such turn begins with, costs little beside
// them.
//
//poolgen:if feature.Magazines
func (c *Core) maybeEndTurn(p uint32, word uint64) {
	m := &c.magazines[p]
	if count := atomic.LoadUint32(&m.singles); count < patience {
		poolimpl.StoreRelaxed(&m.singles, count+1)
		return
	}
	if taken(word) < perWord/2 {
		c.endTurn()
	}
}

// endTurn ends a turn without magazines, unless a call needs it. Where goroutines cannot be pinned it lasts forever.
//
//poolgen:if feature.Magazines
func (c *Core) endTurn() {
	if !poolimpl.Pins || !c.recalls.TryLock() {
		return
	}
	if c.turn.Load()&exclusiveTurn != 0 {
		c.turn.Add(1)
	}
	c.recalls.Unlock()
}
