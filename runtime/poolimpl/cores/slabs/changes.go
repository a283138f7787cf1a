package slabs

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// changes are the slabs of a procCache of which a block was taken or freed since [Core.readChanges] has read them, each once. The slow path need not look
// at other slabs. Whoever takes or frees a block enters the slab, and sets its field changed. Later calls only read that field. Each procCache has changes of
// its own, with a lock: after a call of readChanges, all processors enter their slabs at the same time.
//
// A goroutine changes a word and then reads changed. [Core.readChanges] clears changed, and the words are read afterwards. One of the two sees
// what the other did. The bytes asked for are not part of the word: their store may still be on its way to other processors when the goroutine
// reads changed. So a slab is counted a second time, by the next [Core.Usage].
type changes struct {
	mu    sync.Mutex // guards slabs; taken after [Core.mu]
	slabs []*slab
	read  []*slab      // what readChanges took last: its memory is used again
	spent *atomic.Bool // of its core
}

// noteChange enters a slab in the changes of its procCache. A goroutine calls it after it has changed a word and, for an alloc, stored the bytes
// asked for.
func (s *slab) noteChange() {
	if s.changed.Load() == 0 {
		s.enterChanges()
	}
}

// enterChanges is noteChange for a slab whose field changed was not set. Costs a lock, once for each time that [Core.readChanges] reads the slab.
//
//go:noinline
func (s *slab) enterChanges() {
	s.changes.mu.Lock()
	if s.changed.Load() == 0 {
		s.changed.Store(1)
		s.changes.slabs = append(s.changes.slabs, s)
		if s.changes.spent.Load() { // mostly not: processors share it
			s.changes.spent.Store(false)
		}
	}
	s.changes.mu.Unlock()
}

// take removes the n changes that were entered first, or all if they are fewer. The result is valid until the next take.
func (h *changes) take(n int) []*slab {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < len(h.slabs) {
		h.read = append(h.read[:0], h.slabs[:n]...)
		h.slabs = h.slabs[n:]
	} else {
		h.slabs, h.read = h.read[:0], h.slabs
	}
	return h.read
}

// len returns the number of changes.
func (h *changes) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.slabs)
}

// lists are slabs that the slow path looks at. A slab that is gone stays in a list until the list is next read, or dropGone is due. [Core.mu]
// guards them.
type lists struct {
	partial   [][]*slab // those that may have a free block, by bin
	unchecked []*slab   // those that may have become empty
	uncounted []*slab   // those whose sums may be out of date
	all       []*slab   // what allPartial returned last: its memory is used again
	gone      uint64    // number of slabs that are gone since dropGone
}

// phase is what a slab is.
type phase uint8

const (
	serving   phase = iota // the slab hands out blocks
	dissolved              // see [Core.dissolve]
	gone                   // the suballocator behind has the memory
)

// readChanges adds the slabs that have changed to the lists: up to n of each procCache. c.mu is held.
func (c *Core) readChanges(n int) {
	for _, d := range c.users {
		for _, s := range d.changes.take(n) {
			s.changed.Store(0)
			c.register(s)
		}
	}
}

// every has readChanges read all changes.
const every = math.MaxInt

// changed returns the number of slabs that have changed. c.mu is held.
func (c *Core) changed() (n int) {
	for _, d := range c.users {
		n += d.changes.len()
	}
	return n
}

// register adds a slab that has changed, or is new, to the lists that do not have it. c.mu is held.
func (c *Core) register(s *slab) {
	if s.phase == gone {
		return
	}
	if !s.isPartial {
		s.isPartial = true
		c.lists.partial[s.bin] = append(c.lists.partial[s.bin], s)
	}
	if !s.isUnchecked {
		s.isUnchecked = true
		c.lists.unchecked = append(c.lists.unchecked, s)
	}
	c.countAgain(s)
}

// countAgain has the sums of a slab brought up to date by the next two calls of [Core.countChanged]. c.mu is
// held.
func (c *Core) countAgain(s *slab) {
	if s.counts == 0 {
		c.lists.uncounted = append(c.lists.uncounted, s)
	}
	s.counts = 2
}

// inOrder compares slabs by bin and pos. Lists are read in this order, so the outcome does not depend on when slabs have changed.
func inOrder(s, other *slab) int { return cmp.Or(s.bin-other.bin, s.pos-other.pos) }

// partial returns the slabs of a bin with a free block, as of the last call of [Core.readChanges], by pos. c.mu is held.
func (c *Core) partial(b int) []*slab {
	list := &c.lists.partial[b]
	*list = slices.DeleteFunc(*list, func(s *slab) bool {
		s.isPartial = s.phase == serving && !s.full()
		return !s.isPartial
	})
	slices.SortFunc(*list, inOrder)
	return *list
}

// allPartial returns the slabs of all bins with a free block. The result is valid until the next call. c.mu is held.
func (c *Core) allPartial() []*slab {
	all := c.lists.all[:0]
	for b := range c.lists.partial {
		if len(c.lists.partial[b]) > 0 {
			all = append(all, c.partial(b)...)
		}
	}
	c.lists.all = all
	return all
}

// noteSpent notes that no slab has a free block, if that is so, after a request for which all lists were read. Until a block of a slab is freed, or a slab or
// a chunk comes, [Core.AllocOrCount] leaves slabs alone. c.mu is held.
func (c *Core) noteSpent() {
	if len(c.lists.unchecked) > 0 || c.roomNow() != full || len(c.allPartial()) > 0 {
		return
	}
	c.spent.Store(true)
	if c.changed() > 0 { // or else, whoever enters a slab from now on finds spent set
		c.spent.Store(false)
	}
}

// isSpent reports whether no slab has a free block.
func (c *Core) isSpent() bool { return c.spent.Load() }

// fewGone is the number of slabs that may be gone before dropGone looks for them.
const fewGone = 64

// dropGone removes slabs that are gone from the lists, if there are more of them than others. Slabs may come and go for long before the lists
// are read. c.mu is held.
func (c *Core) dropGone() {
	if c.lists.gone < c.count+fewGone {
		return
	}
	c.lists.gone = 0
	isGone := func(s *slab) bool { return s.phase == gone }
	c.lists.unchecked = slices.DeleteFunc(c.lists.unchecked, isGone)
	c.lists.uncounted = slices.DeleteFunc(c.lists.uncounted, isGone)
	for b := range c.lists.partial {
		c.lists.partial[b] = slices.DeleteFunc(c.lists.partial[b], isGone)
	}
}
