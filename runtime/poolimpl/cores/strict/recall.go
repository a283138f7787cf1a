package strict

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Bits of the turn, [Core.Turn].
const (
	Exclusive uint32 = 1 // no processor uses its magazine
	drained   uint32 = 2 // all magazines are empty
)

// recall stops the use of magazines on all processors, if there are any, and frees the blocks in them. The caller holds [Core.recalls].
//
// A pinned goroutine may have read the old turn, and be using its magazine. [poolimpl.Synchronize] returns when each processor has been without a
// pinned goroutine. From then on all goroutines read the new turn.
func (c *Core) recall() {
	if c.params.Magazine == 0 || c.Turn.Load()&Exclusive != 0 {
		return
	}
	c.Turn.Add(1)
	poolimpl.Synchronize()
	for i := range c.Processors {
		m := &c.Processors[i].Magazine
		if some := uint64(atomic.LoadUint32(&m.Some)); some != 0 {
			poolimpl.Pin()
			old, now := m.drain(some)
			poolimpl.Unpin()
			c.undone.Add(count(some))
			c.AfterFree(m.ch, m.word, old, now)
		}
		m.ch, m.inMagazine = nil, nil
		poolimpl.StoreRelaxed(&m.singles, 0)
	}
	c.Gate.Open() // it may have been closed while blocks were in magazines
	c.Turn.Add(drained)
}

// recalled recalls all magazines, and returns the turn.
func (c *Core) recalled() uint32 {
	c.recalls.Lock()
	defer c.recalls.Unlock()
	c.recall()
	return c.Turn.Load()
}

// allocRecalled is Alloc that also finds blocks in the magazines of other processors. It fails only if at some moment no block was free and none was in a magazine.
func (c *Core) allocRecalled() (slot uint32, off uint64, ok bool) {
	for {
		turn := c.recalled()
		if slot, off, ok, sure := c.allocDuring(turn); sure {
			return slot, off, ok
		}
	}
}

// allocDuring is Alloc in a turn without magazines. If the turn has ended meanwhile, a failure is not sure: there may be blocks in magazines.
func (c *Core) allocDuring(turn uint32) (slot uint32, off uint64, ok, sure bool) {
	slot, off, ok = c.Alloc(c.params.ItemBytes, 1)
	return slot, off, ok, ok || c.Turn.Load() == turn
}

// patience is the least number of blocks that a processor allocates one by one before magazines are used again. Tests have others.
var patience uint32 = 1 << 16

// maybeEndTurn ends a turn without magazines if more than half of the blocks of a word are free from which a block was just allocated. Before that, a
// processor allocates so many blocks one by one that the cost of the next recall, which stops all processors, is small in comparison.
func (c *Core) maybeEndTurn(p uint32, word uint64) {
	m := &c.Processors[p]
	if n := atomic.LoadUint32(&m.singles); n < patience {
		poolimpl.StoreRelaxed(&m.singles, n+1)
		return
	}
	if 2*count(word&c.blocks) < c.params.PerWord {
		c.endTurn()
	}
}

// endTurn ends a turn without magazines, unless another goroutine holds the lock. On systems where goroutines cannot be pinned, the turn never ends.
func (c *Core) endTurn() {
	if !poolimpl.Pins || !c.recalls.TryLock() {
		return
	}
	if c.Turn.Load()&Exclusive != 0 {
		c.Turn.Add(1)
	}
	c.recalls.Unlock()
}
