package poolimpl

import (
	"errors"
	"os"
	"slices"
	"sync"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// addresses is a part of a source that reserves addresses, and supplies memory there.
type addresses interface {
	// Reserve reserves size addresses from a multiple of align on.
	Reserve(size, align int64) (Chunk, error)
	// Release ends a reservation.
	Release(Chunk) error
	// Grow supplies memory at reserved addresses, in whole pages. It is zero where there was none.
	Grow(Chunk) error
	// Shrink takes memory back. Its addresses stay reserved.
	Shrink(Chunk) error
	// Blank takes memory back that may still be read. It may do nothing.
	Blank(Chunk) error
}

// chunkRange is the range of addresses that a pool reserves for its chunks, if its core gains from that. It costs no memory. In it are places at a constant
// distance. A chunk lies at the lowest free place; a large one takes up several. A chunk for which there is none lies elsewhere.
//
// The core keeps an entry of 4 bytes for each unit of the range, in reserved addresses as well.
type chunkRange struct {
	addresses       // nil: the pool has no range
	unit      int64 // bytes that an entry stands for
	length    int64 // lengths of memory are multiples of it
	step      int64 // bytes between places
	size      int64 // bytes to be reserved

	mu      sync.Mutex // guards what follows: memory goes back without the lock of the pool
	busy    []bool     // by place
	low     int        // all places before this one are busy
	room    Chunk      // of size 0 until the first chunk comes
	entries Chunk
	entered bool // the core knows the range
	refused bool // the source has no addresses
}

// The largest range that a pool reserves, the most places in it, and the most entries: as many blocks a core can number.
const (
	mostRange   = 64 << 30
	mostPlaces  = 1 << 16
	mostEntries = 1<<32 - 3
)

// hugePage is the size of a huge page of most processors, at a multiple of which a range starts.
const hugePage = 2 << 20

// addresses returns what reserves addresses for the source; nil if nothing does.
func (m *memory) addresses() addresses {
	if s, ok := m.Source.(interface{ addresses() addresses }); ok {
		return s.addresses()
	}
	return nil
}

// plan sets the places for chunks of the given size, as many as a pool of at most so many bytes can have. A pool with one chunk needs no range, and one whose
// places would have to lie far apart has none.
func (r *chunkRange) plan(a addresses, unit, chunk, align, most int64) {
	align = max(align, int64(os.Getpagesize()))
	length := align / commonDivisor(align, unit) * unit
	step, places := roundUp(chunk, length), min((most-1)/chunk+1, mostPlaces)
	places = min(places, mostEntries*unit/step)
	if a != nil && places > 1 && step-chunk <= chunk/8 {
		r.addresses, r.unit, r.length, r.step, r.size = a, unit, length, step, places*step
	}
}

// alloc supplies a chunk; one of size 0 if it has to lie elsewhere. The caller does not hold e.mu, and is the only one.
func (r *chunkRange) alloc(size, align int64) (Chunk, error) {
	place, n, ok := r.take(size, align)
	if !ok {
		return Chunk{}, nil
	}
	c := r.part(r.room, int64(place)*r.step, roundUp(size, r.length))
	err := r.Grow(c)
	if err == nil {
		if err = r.Grow(r.entriesOf(place, n, roundDown, roundUp)); err != nil {
			err = errors.Join(err, r.Shrink(c))
		}
	}
	if err != nil {
		r.leave(place, n)
		return Chunk{}, &causedBy{poolrt.ErrOutOfMemory, err}
	}
	c.Size = size
	return c, nil
}

// free takes a chunk back that lies in the range, and reports whether it does.
func (r *chunkRange) free(c Chunk) (mine bool, err error) {
	if !r.has(c.Addr) {
		return false, nil
	}
	place, n := r.places(int64(c.Addr-r.room.Addr), c.Size)
	c.Size = roundUp(c.Size, r.length)
	if err := r.Shrink(c); err != nil {
		return true, err
	}
	if entries := r.entriesOf(place, n, roundUp, roundDown); entries.Size > 0 {
		_ = r.Blank(entries) // what it refuses stays, and may be written to
	}
	r.leave(place, n)
	return true, nil
}

// has reports whether an address lies in the range.
func (r *chunkRange) has(addr uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return addr-r.room.Addr < uint64(r.room.Size)
}

// places returns the places of a chunk: the first, and how many.
func (r *chunkRange) places(off, size int64) (first, n int) {
	return int(off / r.step), int((size + r.step - 1) / r.step)
}

// take takes the lowest free places for a chunk. The first call reserves the addresses.
func (r *chunkRange) take(size, align int64) (place, n int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.room.Size == 0 && !r.reserve() || align > r.length {
		return 0, 0, false
	}
	_, n = r.places(0, size)
	for place = r.low; place+n <= len(r.busy); place++ {
		last := lastBusy(r.busy[place : place+n])
		if last < 0 {
			for i := range n {
				r.busy[place+i] = true
			}
			if place == r.low {
				r.low += n
			}
			return place, n, true
		}
		place += last
	}
	return 0, 0, false
}

// lastBusy returns the index of the last place that is taken, -1 if none is.
func lastBusy(places []bool) int {
	for i := len(places) - 1; i >= 0; i-- {
		if places[i] {
			return i
		}
	}
	return -1
}

// leave frees places.
func (r *chunkRange) leave(place, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.busy[place : place+n])
	r.low = min(r.low, place)
}

// reserve reserves the addresses. If there are none, all chunks lie elsewhere.
func (r *chunkRange) reserve() bool {
	if r.addresses == nil {
		return false
	}
	room, err := r.Reserve(r.size, max(r.length&-r.length, hugePage))
	if err != nil {
		r.addresses, r.refused = nil, true
		return false
	}
	page := int64(os.Getpagesize())
	entries, err := r.Reserve(roundUp(r.size/r.unit*entrySize, page), page)
	if err != nil {
		_ = r.Release(room)
		r.addresses, r.refused = nil, true
		return false
	}
	r.room, r.entries, r.busy = room, entries, make([]bool, r.size/r.step)
	return true
}

// entrySize is the size of an entry.
const entrySize = int64(unsafe.Sizeof(uint32(0)))

// entriesOf returns the memory of the entries of places, in whole pages.
func (r *chunkRange) entriesOf(place, n int, from, to func(n, unit int64) int64) Chunk {
	per, page := r.step/r.unit*entrySize, int64(os.Getpagesize())
	start, end := from(int64(place)*per, page), to(int64(place+n)*per, page)
	if end <= start {
		return Chunk{}
	}
	return r.part(r.entries, start, end-start)
}

// part returns a part of reserved addresses.
func (r *chunkRange) part(c Chunk, off, size int64) Chunk {
	c.Ptr, c.Addr, c.Size = unsafe.Add(c.Ptr, off), c.Addr+uint64(off), size
	return c
}

// release ends the reservation of a pool that has no chunks.
func (r *chunkRange) release() error {
	if r.room.Size == 0 || slices.Contains(r.busy, true) {
		return nil
	}
	err := errors.Join(r.Release(r.room), r.Release(r.entries))
	r.room, r.entries = Chunk{}, Chunk{}
	return err
}

// commonDivisor returns the greatest common divisor of two positive numbers.
func commonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
