package strict

import (
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Bits of the turn, [Core.Turn].
const (
	Exclusive uint32 = 1 // no processor uses its magazine, or its word
	drained   uint32 = 2 // all magazines are empty, and no word has an owner
)

// recall stops the use of magazines on all processors, if there are any, and frees the blocks in them. It takes their words from owners. The caller holds
// [Core.recalls].
//
// A pinned goroutine may have read the old turn, and be using its magazine, or its word. [poolimpl.Synchronize] returns when each processor has been without a
// pinned goroutine. From then on all goroutines read the new turn.
func (c *Core) recall() {
	if c.Turn.Load()&Exclusive != 0 {
		return
	}
	c.Turn.Add(1)
	c.stopOwners()
	poolimpl.Synchronize()
	for c.stopOwners() { // a processor that had read the old turn has claimed a word
		poolimpl.Synchronize()
	}
	for i := range c.Processors {
		m := &c.Processors[i].Magazine
		if some := uint64(atomic.LoadUint32(&m.Some)); some != 0 {
			poolimpl.Pin()
			now := m.drain(some)
			poolimpl.Unpin()
			c.undone.Add(count(some))
			c.AfterFree(m.ch, m.word, now)
		}
		m.giveUp()
		m.ch, m.inMagazine = nil, nil
		poolimpl.StoreRelaxed(&m.allocs, 0)
	}
	c.growPatience()
	c.Gate.Open() // it may have been closed while blocks were in magazines
	c.Turn.Add(drained)
}

// recalled recalls all magazines, or words, and returns the turn.
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

// patience is the least number of blocks that a processor allocates before magazines are used again, or words have owners. Tests have others.
var patience uint32 = 1 << 16

// In pools with owners, the patience grows with each recall that follows soon after the end of the turn, as a recall stops all processors.
const (
	soon     = time.Second
	maxTwice = 8 // how often the patience doubles
)

// growPatience is called by a recall.
func (c *Core) growPatience() {
	if !c.params.Owns || time.Since(c.began) > soon {
		c.twice = 0
	} else {
		c.twice = min(c.twice+1, maxTwice)
	}
	c.patience.Store(patience << c.twice)
}

// maybeEndTurn ends an exclusive turn if more than half of the blocks of the word are free from which the last of about n blocks were just allocated. Before that,
// a processor allocates so many blocks that the cost of the next recall, which stops all processors, is small in comparison.
func (c *Core) maybeEndTurn(p, n uint32, r Run) {
	if c.countAllocs(p, n) < c.patience.Load() {
		return
	}
	there := c.blocks &^ r.Chunk.absent(r.Word)
	if taken := r.Chunk.Words[r.Word].Load() & there; 2*count(taken) < count(there) {
		c.endTurn()
	}
}

// countAllocs counts allocations of a processor, and returns how many there were before.
func (c *Core) countAllocs(p, n uint32) (before uint32) {
	m := &c.Processors[p].Magazine
	if before = atomic.LoadUint32(&m.allocs); before < patience<<maxTwice {
		poolimpl.StoreRelaxed(&m.allocs, before+n)
	}
	return before
}

// endTurn ends an exclusive turn, unless another goroutine holds the lock. On systems where goroutines cannot be pinned, the turn never ends.
func (c *Core) endTurn() {
	if !poolimpl.Pins || !c.recalls.TryLock() {
		return
	}
	if c.Turn.Load()&Exclusive != 0 {
		c.began = time.Now()
		c.Turn.Add(1)
	}
	c.recalls.Unlock()
}
