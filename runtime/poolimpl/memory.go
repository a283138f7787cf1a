package poolimpl

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// memory is where chunks come from. Its Source is nil in a pool of numbers, and until a Binder has bound the pool.
type memory struct {
	Bound
	layout layout // chunked; between bind and unbind it may be paged
	chunk  int64  // usual size of a chunk or page: Config.ChunkSize, or what WithChunkSize has made of it
	// chunk in whole units of the source, and the size of the next chunk: unit, or more for Config.Double
	unit, next int64
	places     chunkRange     // where chunks lie, if the core gains from that
	single     bool           // the pool never has more than one chunk
	endings    []func() error // what unbind could not return yet
	stopWatch  func()         // ends the calls of streamEnds
	meter      meter
	registrars *registrars // nil without the key registered
}

// measure sets the sizes of chunks, for a pool that has none.
func (m *memory) measure() {
	m.unit = roundUp(m.chunk, m.Granularity)
	m.next = m.unit
}

// page returns the size of a page, 0 for memory that comes as chunks.
func (m *memory) page() int64 {
	if m.Pages == nil {
		return 0
	}
	return m.Pages.PageSize()
}

// pieces returns the number of chunks, or of the pages in them.
func (m *memory) pieces(chunks []Chunk) (n int64) {
	page := m.page()
	if page == 0 {
		return int64(len(chunks))
	}
	for _, c := range chunks {
		n += c.Size / page
	}
	return n
}

// growable returns the largest chunk that the core can manage, in whole units of the source; largest is Config.MaxChunk. It bounds chunks that are larger
// than their request.
func (m *memory) growable(largest int64) int64 {
	if largest == 0 {
		largest = poolrt.NoLimit - 1
	}
	return roundDown(largest, m.Granularity)
}

// inUse adds up the chunks and pages that have live blocks, are in flight or are shared, without those that the source refused to take back. In a pool of
// numbers, all of them count: Track supplied them.
func (m *memory) inUse(l *limits, unreturned []Chunk) int64 {
	if m.Source == nil {
		return l.reserved
	}
	n := l.held() - sizeOf(unreturned)
	for s := range m.layout.surplus(lastFirst) {
		n -= int64(s.Size)
	}
	return n
}

// need returns the size of a chunk that is sure to serve the request; NoLimit if none is.
func (m *memory) need(core Core, r request) int64 {
	n := core.Need(r.bytes, r.align)
	if n-1 >= uint64(poolrt.NoLimit-m.Granularity) { // also if n is 0
		return poolrt.NoLimit
	}
	return roundUp(int64(n), m.Granularity)
}

// clear clears a chunk. The caller does not hold e.mu.
func (m *memory) clear(c Chunk, size int64) error {
	if m.Zero != nil {
		return errors.Join(m.Zero(c), m.Zeroed())
	}
	clear(unsafeBytes(c.Ptr, size))
	return nil
}

// unsafeBytes returns memory as bytes.
func unsafeBytes(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }

// grow adds memory that is sure to serve the request, within the limit and the budget. The lock is released while the source works: one caller grows the
// pool, the others may free and allocate. Without an error, the caller notes the change in the request and tries it again; it may fail again.
func (e *Engine) grow(r request) (change, error) {
	if e.memory.Source == nil || e.limits.growing > 0 || e.core.driver != nil {
		return unchanged, poolrt.ErrLimit
	}
	return e.memory.layout.grow(r)
}

// chunkSizes returns the size that a chunk for the request needs, and the size that it should have. For a pool with a single chunk, the size is all that the
// pool may ever reserve, since no second chunk follows.
func (e *Engine) chunkSizes(r request) (need, want int64) {
	need = e.memory.need(e.core.Core, r)
	switch {
	case e.config.Direct:
		return need, need
	case e.memory.single && e.limits.chunks > e.foreign.direct.count+e.graphs.chunks+int64(len(e.graphs.unreturned)):
		return poolrt.NoLimit, poolrt.NoLimit
	}
	want = max(need, min(e.memory.next, e.memory.growable(e.config.MaxChunk)))
	if e.memory.single {
		need = max(need, min(want, roundDown(e.limits.limit, e.memory.Granularity)))
	}
	return need, want
}

// withClaim calls ask, which obtains the claimed bytes from the source, with the lock released. The claim ends if ask fails.
func (e *Engine) withClaim(size int64, ask func() error) error {
	err := errPanic
	defer func() { // also if the source panics
		e.limits.growing = 0
		if err != nil {
			e.budget.Release(size)
		}
		e.activity.wakeIdle()
	}()
	b := e.budget.Budget()
	e.unlocked(func() { err = askPatiently(b, ask) })
	return err
}

// askPatiently calls ask, which obtains memory, and does so again as long as there is none because the system is still freeing what a process had that has died. The
// caller does not hold e.mu.
func askPatiently(b *budget.Budget, ask func() error) (err error) {
	for err = ask(); err != nil && errors.Is(err, poolrt.ErrOutOfMemory) && b.Mourns(); err = ask() {
		time.Sleep(askAgain)
	}
	return err
}

// askAgain is how long a source is left alone that has no memory because a process that shared the budget has just died.
const askAgain = 20 * time.Millisecond

// errPanic stands for the error of a source that panicked.
var errPanic = errors.New("the source panicked")

// fetch obtains the claimed chunk from the source, by one of its functions. A chunk that the pool cannot use goes back, unless it overlaps memory of the pool. If
// the source refuses it, the chunk is unreturned: its bytes stay reserved.
func (e *Engine) fetch(alloc func(size, align int64) (Chunk, error), size, align int64) (c Chunk, err error) {
	var refused error
	err = e.withClaim(size, func() error {
		defer e.memory.meter.end(e.memory.meter.begin())
		got, failed := e.supplied(alloc, size, align)
		if failed != nil && got == (Chunk{}) {
			return failed
		}
		c, c.Size = got, size
		if Debug {
			c = e.observed.debug.coreChunk(got, size)
		}
		if e.overlaps(c) { // not given back: that would take the memory which the pool has
			return errors.Join(failed, fmt.Errorf("the allocator returned %d bytes at %#x, which overlap memory that the pool has", got.Size, got.Addr))
		}
		if failed == nil && e.config.ZeroChunks && !e.memory.Clean {
			failed = e.memory.clear(got, got.Size)
		}
		if failed == nil {
			failed = e.memory.registrars.came(got)
		}
		if failed == nil {
			return nil
		}
		back := e.memory.giveBack(got)
		failed = errors.Join(failed, back)
		if back != nil {
			refused = failed
			return nil
		}
		return failed
	})
	if refused != nil {
		e.owe(c)
		return Chunk{}, owing{refused}
	}
	return c, err
}

// owing is the error of a source that has supplied a chunk with it, and refused to take that back.
type owing struct{ error }

func (o owing) Unwrap() error { return o.error }

// supplied calls the source for a chunk. The caller does not hold e.mu.
func (e *Engine) supplied(alloc func(size, align int64) (Chunk, error), size, align int64) (Chunk, error) {
	if Debug {
		size, align = e.observed.debug.sourceSize(size), e.observed.debug.sourceSize(align)
	}
	c, err := alloc(size, align)
	if c != (Chunk{}) {
		c.Size = size
	}
	return c, err
}

// overlaps reports whether a chunk overlaps memory that the pool has. A chunk without an address does not. The caller does not hold e.mu. Cost: two binary
// searches, and a look at each unreturned chunk.
func (e *Engine) overlaps(c Chunk) bool {
	if c.Addr == 0 {
		return false
	}
	e.lock()
	defer e.unlock()
	for range e.chunks.overlapping(c.Addr, uint64(c.Size)) {
		return true
	}
	return e.foreign.direct.overlaps(c) || e.graphs.overlaps(c)
}

// addReserved counts the bytes of new chunks, and updates the peak and the soft limit.
func (e *Engine) addReserved(size, chunks int64) {
	soft, before := e.config.SoftLimit, e.limits.reserved
	e.limits.reserved += size
	e.limits.chunks += chunks
	e.figures.peakReserved = max(e.figures.peakReserved, e.limits.reserved)
	if soft > 0 && before <= soft && e.limits.reserved > soft {
		e.figures.softCrossings++
		e.queueEvent(poolrt.EventSoftLimit, e.limits.reserved, nil)
	}
}

// release returns to the source chunks that the core no longer has. The lock is released meanwhile. The bytes of the chunks count against the limit until the
// source has taken them. keep is called with each chunk that the source refuses. If the source panics, the chunk of that call is lost, and keep is called
// with the later ones. as is the event that says so: EventTrim, or EventSleep, which is sent for 0 bytes, too.
func (e *Engine) release(as poolrt.EventKind, chunks []Chunk, keep func(Chunk)) (released int64, err error) {
	var kept []Chunk
	total := sizeOf(chunks)
	e.limits.releasing += total
	tried := 0
	defer func() {
		kept = append(kept, chunks[tried:]...)
		for _, c := range kept {
			keep(c)
		}
		released = total - sizeOf(kept)
		e.limits.releasing -= total
		e.limits.sub(e.budget, released, e.memory.pieces(chunks)-e.memory.pieces(kept))
		e.fullness.noteRoom()
		if released > 0 || as == poolrt.EventSleep {
			e.queueEvent(as, released, nil)
		}
		if err != nil {
			e.queueEvent(poolrt.EventFailure, 0, e.newError("trim", err))
		}
		e.wakeNext()
	}()
	e.unlocked(func() {
		var errs []error
		for _, c := range chunks {
			tried++
			given := c
			if Debug {
				given = e.observed.debug.sourceChunk(c)
			}
			if err := e.memory.free(given); err != nil {
				kept, errs = append(kept, c), append(errs, err)
			}
		}
		err = errors.Join(errs...)
	})
	if err != nil {
		err = &causedBy{poolrt.ErrNotReturned, err}
	}
	return released, err
}

// free returns one chunk to the source. The caller does not hold e.mu.
func (m *memory) free(c Chunk) error {
	defer m.meter.end(m.meter.begin())
	if err := m.registrars.goes(c); err != nil {
		return err
	}
	err := m.giveBack(c)
	if err != nil { // the pool still has the chunk, and may use it
		err = errors.Join(err, m.registrars.came(c))
	}
	return err
}

// giveBack returns a chunk to where it came from.
func (m *memory) giveBack(c Chunk) error {
	if mine, err := m.places.free(c); mine {
		return err
	}
	return m.Source.Free(c)
}

// tidySource makes the source free addresses without memory. The lock is released meanwhile.
func (e *Engine) tidySource() {
	if free := e.memory.Tidy; free != nil {
		e.activity.visit(&e.poolLock, free)
	}
}

// sizeOf adds up the bytes of chunks.
func sizeOf(chunks []Chunk) (n int64) {
	for _, c := range chunks {
		n += c.Size
	}
	return n
}

// roundUp and roundDown round n to a multiple of unit. A unit of 0 counts as 1.
func roundUp(n, unit int64) int64 {
	if unit <= 1 {
		return n
	}
	return (n + unit - 1) / unit * unit
}

func roundDown(n, unit int64) int64 {
	if unit <= 1 {
		return n
	}
	return n / unit * unit
}
