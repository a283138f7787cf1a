package poolimpl

import (
	"iter"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// layout is how the memory of a pool is arranged: as chunks, or as pages of one reservation. Only slow paths call it. The caller holds e.mu.
type layout interface {
	// grow adds memory that is sure to serve a request, or does what has to come before that, and releases the lock meanwhile. Without an error, the caller
	// notes the change and tries the request again. Whatever releases the lock before bytes are claimed ends the call: others may grow meanwhile.
	grow(request) (change, error)
	// surplus yields all that may be returned, once: no live block lies there, no stream is using it, and it is not shared.
	surplus(order) iter.Seq[surplus]
	// remove takes surplus from the core. The result has fewer chunks if others have used some meanwhile.
	remove([]surplus) []Chunk
	// insert adds memory to the core: new memory, or what the source refused to take back.
	insert(Chunk)
	// emptied follows the trim policy after a free.
	emptied(vacancy)
	// noteUsed and noteEmptied are called before and after any number of blocks are freed at once. They note the memory that became empty, for
	// TrimPolicy.Idle.
	noteUsed()
	noteEmptied()
	// flush makes the core free what it has cached and surplus does not yield, and reports whether there was any.
	flush() bool
	// chunks lists what the source supplied and surplus may yield some day.
	chunks() []Chunk
	// needs returns how many bytes may have to be obtained for a request that a chunk of so many bytes would serve; NoLimit if none would.
	needs(r request, chunk int64) int64
	// passed is called when a stream has passed a mark.
	passed(*inFlight, mark)
	// tidy returns what the pool has besides memory and may obtain again: addresses without memory. The lock is released meanwhile.
	tidy()
}

// change is what a call of grow has done.
type change uint8

const (
	unchanged    change = iota // the error says why
	grown                      // memory has come
	reserved                   // addresses have come
	freed                      // memory of the pool or the source became free: the request may fit without growth
	uncached                   // the core has freed what it had cached: the request may fit without growth, or pages are free that were not
	mayWait                    // the request may have what other streams freed
	moved                      // pages have moved to where the request needs memory, or could not
	gaveBack                   // memory went back so that the pool may grow
	refusedBack                // the source refused to take that memory
	gaveAllBack                // all free memory went back, as the source had no more
	askedTooMuch               // the source has no more, but was asked for more than the request needs
)

// surplus is memory that may be returned: an empty chunk, or a run of pages without blocks.
type surplus struct {
	slot uint32
	Extent
	since time.Time // when it became free, for TrimPolicy.Idle
}

// tail returns the last pages of s, as many as n bytes need. If page is 0, s is a chunk, and is returned whole.
func (s surplus) tail(n, page int64) surplus {
	if page > 0 {
		size := min(s.Size, uint64(roundUp(n, page)))
		s.Addr, s.Size = s.Addr+s.Size-size, size
	}
	return s
}

// bytesOf adds up the bytes of surplus.
func bytesOf(list []surplus) (n int64) {
	for _, s := range list {
		n += int64(s.Size)
	}
	return n
}

// order says which surplus to yield, and in which order.
type order struct {
	fit     int64  // chunks that add up to so many bytes, by best fit; 0: all, the last first
	outside Extent // pages not to yield
}

// lastFirst yields all surplus, from high slots and addresses to low ones: as a rule, high ones are newer.
var lastFirst order

// atMost returns a function for collect that selects surplus of n bytes or less in all.
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

// atLeast returns a function for collect that selects as much surplus as n bytes need.
func (m *memory) atLeast(n int64) func(surplus) int64 { return m.between(n, poolrt.NoLimit) }

// between is atLeast, but the function selects at most so many bytes.
func (m *memory) between(n, most int64) func(surplus) int64 {
	page := m.page()
	return func(s surplus) int64 {
		if n <= 0 {
			return 0
		}
		size := int64(s.tail(n, page).Size)
		if page > 0 {
			size = min(size, roundDown(most, page))
		}
		if size > most {
			return 0
		}
		n, most = n-size, most-size
		return size
	}
}

// collect lists surplus in the given order. want returns how many bytes of each to take.
func (m *memory) collect(o order, want func(surplus) int64) (due []surplus) {
	page := m.page()
	for s := range m.layout.surplus(o) {
		if n := want(s); n > 0 {
			due = append(due, s.tail(n, page))
		}
	}
	return due
}

// surplusOf lists surplus of n bytes or more, by best fit, but not more than most; if there is less, as much as there is.
func (m *memory) surplusOf(n, most int64) []surplus {
	due := m.collect(order{fit: n}, m.between(n, most))
	if bytesOf(due) < n && m.layout.flush() {
		due = m.collect(order{fit: n}, m.between(n, most))
	}
	if bytesOf(due) < min(n, most) { // what fits best may be more than most
		due = m.collect(lastFirst, m.between(n, most))
	}
	return due
}

// vacancy is the place of a freed block, in a chunk that may be empty now.
type vacancy struct {
	slot        uint32
	addr, bytes uint64
}
