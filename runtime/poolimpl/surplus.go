package poolimpl

import (
	"iter"
	"time"
)

// layout is how the memory of a pool is arranged: as chunks, or by pages of one reservation. It is asked on slow paths only, under the lock.
type layout interface {
	// grow gets memory that is sure to serve a request, releasing the lock meanwhile. Without an error the caller looks again.
	grow(request) (refused bool, err error)
	// surplus yields once what may go: no live block lies there, no stream is at work there, and it is not shared.
	surplus(order) iter.Seq[surplus]
	// remove takes surplus from the core: fewer chunks, if others use them by now.
	remove([]surplus) []Chunk
	// insert gives memory to the core, also what the source did not take back.
	insert(Chunk)
	// emptied follows the trim policy after a free.
	emptied(vacancy)
	// flush has the core free what it keeps for itself and surplus does not yield, and reports whether there was any.
	flush() bool
	// chunks lists what the source gave and surplus may yield one day.
	chunks() []Chunk
}

// surplus is an empty chunk, or a run of pages of the chunk without blocks.
type surplus struct {
	slot uint32
	Extent
	since time.Time // when it became free, for TrimPolicy.Idle
}

// tail is the last pages of s, as many as n bytes need. A chunk, where page is 0, is whole.
func (s surplus) tail(n, page int64) surplus {
	if page > 0 {
		size := min(s.Size, uint64(roundUp(n, page)))
		s.Addr, s.Size = s.Addr+s.Size-size, size
	}
	return s
}

// bytesOf adds up surplus.
func bytesOf(list []surplus) (n int64) {
	for _, s := range list {
		n += int64(s.Size)
	}
	return n
}

// order says what surplus to yield, and in which order.
type order struct {
	fit     int64  // chunks that come to so many bytes, by best fit; 0: all, the last first
	outside Extent // pages that stay
}

// lastFirst is all surplus, from high slots and addresses to low ones: as a rule, those came last.
var lastFirst order

// atMost wants as much surplus as comes to n bytes or less.
func (m *memory) atMost(n int64) func(surplus) int64 {
	page := m.page()
	return func(s surplus) int64 {
		size := int64(s.Size)
		if page > 0 {
			size = min(size, roundDown(n, page))
		}
		if size <= 0 || size > n {
			return 0
		}
		n -= size
		return size
	}
}

// atLeast wants as much surplus as n bytes need.
func (m *memory) atLeast(n int64) func(surplus) int64 {
	page := m.page()
	return func(s surplus) int64 {
		if n <= 0 {
			return 0
		}
		size := int64(s.tail(n, page).Size)
		n -= size
		return size
	}
}

// collect lists surplus in an order: of each as many bytes as want says.
func (m *memory) collect(o order, want func(surplus) int64) (due []surplus) {
	page := m.page()
	for s := range m.layout.surplus(o) {
		if n := want(s); n > 0 {
			due = append(due, s.tail(n, page))
		}
	}
	return due
}

// shed takes surplus from the core and gives it to the source, with the lock released meanwhile. What the source does not take stays in the pool.
func (e *Engine) shed(due []surplus) (released int64, err error) {
	if len(due) == 0 || e.memory.Source == nil {
		return 0, nil
	}
	chunks := e.memory.layout.remove(due)
	if len(chunks) == 0 {
		return 0, nil
	}
	return e.release(chunks, e.memory.layout.insert)
}

// vacancy is what a block has left free, in a chunk that may be empty now.
type vacancy struct {
	slot        uint32
	addr, bytes uint64
}
