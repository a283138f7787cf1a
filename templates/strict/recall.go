package strict

import (
	"math/bits"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Bits of the turn, [Core.turn].
const (
	exclusiveTurn uint32 = 1 // no processor uses its magazine
	drained       uint32 = 2 // all magazines are empty
)

// recall stops the use of magazines on all processors, and frees the blocks in them. The caller holds [Core.recalls].
//
// A pinned goroutine may have read the old turn, and be using its magazine. [poolimpl.Synchronize] returns when each processor has been without a
// pinned goroutine. From then on all goroutines read the new turn.
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
	c.gate.Open() // it may have been closed while blocks were in magazines
	c.turn.Add(drained)
}

// recalled recalls all magazines, and returns the turn.
//
//poolgen:if feature.Magazines
func (c *Core) recalled() uint32 {
	c.recalls.Lock()
	defer c.recalls.Unlock()
	c.recall()
	return c.turn.Load()
}

// allocAnyRecalled is Alloc, and also finds blocks in the magazines of other processors. It fails only if at some moment no block was free and none was
// in a magazine.
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

// allocDuring is Alloc in a turn without magazines. If the turn has ended meanwhile, a failure is not sure: there may be blocks in magazines.
//
//poolgen:if feature.Magazines
func (c *Core) allocDuring(turn uint32) (slot uint32, off uint64, ok, sure bool) {
	slot, off, ok = c.Alloc(itemBytes, 1)
	return slot, off, ok, ok || c.turn.Load() == turn
}

// maybeEndTurn ends a turn without magazines if more than half of the blocks of a word are free from which a block was just allocated. Before that, a
// processor allocates so many blocks one by one that the cost of the next recall, which stops all processors, is small in comparison.
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

// endTurn ends a turn without magazines, unless another goroutine holds the lock. On systems where goroutines cannot be pinned, the turn never ends.
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
