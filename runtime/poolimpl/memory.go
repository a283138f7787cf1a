package poolimpl

import (
	"errors"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// memory is where chunks come from. Its Source is nil until a Binder has been bound, and in pools of numbers.
type memory struct {
	Bound
	layout     layout         // chunked, or paged from bind to unbind
	unit, next int64          // Config.ChunkSize in whole units of the source; the size of the next chunk: unit, or more for Config.Double
	endings    []func() error // what could not be given back when the pool was unbound
	stopWatch  func()         // ends the calls of streamEnds
	meter      meter
}

// page is the size of a page, 0 for memory that comes as chunks.
func (m *memory) page() int64 {
	if m.Pages == nil {
		return 0
	}
	return m.Pages.Page
}

// pieces counts chunks, or pages.
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

// growable bounds chunks that are larger than their request, to the largest that the core can number; 0: any.
func (m *memory) growable(largest int64) int64 {
	if largest == 0 {
		largest = poolrt.NoLimit - 1
	}
	return roundDown(largest, m.Granularity)
}

// inUse adds up the chunks and pages that have live blocks, are in flight or shared, without those that the source did not take back. Numbered resources are
// the user's: all of them count.
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

// need is the size of a chunk that is sure to serve the request; NoLimit if none is.
func (m *memory) need(core Core, r request) int64 {
	n := core.Need(r.bytes, r.align)
	if n-1 >= uint64(poolrt.NoLimit-m.Granularity) { // 0 too
		return poolrt.NoLimit
	}
	return roundUp(int64(n), m.Granularity)
}

// clear makes a chunk zero that the source does not hand out zero.
func (m *memory) clear(c Chunk, size int64) error {
	if m.Zero != nil {
		return errors.Join(m.Zero(c), m.Zeroed())
	}
	clear(unsafeBytes(c.Ptr, size))
	return nil
}

// unsafeBytes views memory as bytes.
func unsafeBytes(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }

// grow adds memory that is sure to serve the request, within the limit and the budget. The lock is held on entry and on return, and released while the
// source works: one caller grows, the others may free and allocate. Without an error the caller looks again; no more is sure. refused says that the source
// did not take back what was to make room: a further call for the same request has r.refused set.
func (e *Engine) grow(r request) (refused bool, err error) {
	if e.memory.Source == nil || e.limits.growing > 0 {
		return false, poolrt.ErrLimit
	}
	return e.memory.layout.grow(r)
}

// chunkSizes returns the size that a chunk for the request must have and the one it should have. A pool of a single chunk wants all that it may ever
// get, as there will be no second.
func (e *Engine) chunkSizes(r request) (need, want int64) {
	need = e.memory.need(e.core.Core, r)
	switch {
	case e.config.Direct:
		return need, need
	case e.config.SingleChunk && e.limits.chunks > e.foreign.direct.count:
		return poolrt.NoLimit, poolrt.NoLimit
	}
	want = max(need, min(e.memory.next, e.memory.growable(e.config.MaxChunk)))
	if e.config.SingleChunk {
		need = max(need, min(want, roundDown(e.limits.limit, e.memory.Granularity)))
	}
	return need, want
}

// withClaim calls ask, which gets the claimed bytes from the source, with the lock released. If ask fails, the claim ends.
func (e *Engine) withClaim(size int64, ask func() error) error {
	err := errPanic
	defer func() { // also when the source panics
		e.limits.growing = 0
		if err != nil {
			e.config.Budget.release(size)
		}
		e.activity.wakeIdle()
	}()
	e.unlocked(func() { err = ask() })
	return err
}

// errPanic stands for the result of a source that has not returned.
var errPanic = errors.New("the source panicked")

// fetch asks the source for the chunk that was claimed.
func (e *Engine) fetch(size, align int64) (c Chunk, err error) {
	err = e.withClaim(size, func() error {
		defer e.memory.meter.end(e.memory.meter.begin())
		bytes := size
		if Debug {
			bytes, align = e.observed.debug.sourceSize(size), e.observed.debug.sourceSize(align)
		}
		got, err := e.memory.Source.Alloc(bytes, align)
		if err != nil {
			return err
		}
		if e.config.ZeroChunks {
			if err := e.memory.clear(got, bytes); err != nil {
				return errors.Join(err, e.memory.Source.Free(got))
			}
		}
		c, c.Size = got, size
		if Debug {
			c = e.observed.debug.coreChunk(got, size)
		}
		return nil
	})
	return c, err
}

// addReserved counts the bytes of chunks that have come, and watches the peak and the soft limit.
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

// release gives chunks back to the source that the core does not know any more, with the lock released meanwhile. Their bytes count against the limit
// until the source has them. Each chunk that the source does not take goes to keep. If the source panics, the chunk of that call is lost, and the
// later ones go to keep.
func (e *Engine) release(chunks []Chunk, keep func(Chunk)) (released int64, err error) {
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
		e.limits.sub(e.config.Budget, released, e.memory.pieces(chunks)-e.memory.pieces(kept))
		if released > 0 {
			e.queueEvent(poolrt.EventTrim, released, nil)
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

// free gives one chunk to the source. The lock is released.
func (m *memory) free(c Chunk) error {
	defer m.meter.end(m.meter.begin())
	return m.Source.Free(c)
}

// sizeOf adds up the bytes of chunks.
func sizeOf(chunks []Chunk) (n int64) {
	for _, c := range chunks {
		n += c.Size
	}
	return n
}

// roundUp and roundDown return the multiple of unit next to n. A unit of 0 is 1.
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
