package poolimpl

import (
	"errors"
	"fmt"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

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
		got, failed := e.observed.supplied(alloc, size, align)
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

// owe counts a chunk that the pool cannot use and that the source refused to take back. With ordering driver it was for a graph, and its bytes are counted.
func (e *Engine) owe(c Chunk) {
	if d := e.core.driver; d != nil {
		d.owe(e, c)
		return
	}
	e.limits.add(&e.figures, c.Size, 1)
	e.foreign.direct.owe(c)
}

// supplied calls the source for a chunk. The caller does not hold e.mu.
func (o *observed) supplied(alloc func(size, align int64) (Chunk, error), size, align int64) (Chunk, error) {
	if Debug {
		size, align = o.debug.sourceSize(size), o.debug.sourceSize(align)
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

// notSupplied is the result of a failed call of the source. If the source got memory back after released was read, there is no error and the allocation tries
// again: whoever returned that memory found nobody waiting.
func (l *limits) notSupplied(r request, err error, released int64) (change, error) {
	if l.released > released && !r.prime {
		return freed, nil
	}
	return unchanged, sourceError(err)
}

// add counts the bytes of new chunks, and updates the peak and the soft limit.
func (l *limits) add(f *figures, size, chunks int64) {
	before := l.reserved
	l.reserved += size
	l.chunks += chunks
	f.note(l.reserved)
	if l.soft > 0 && before <= l.soft && l.reserved > l.soft {
		f.crossSoftLimit()
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
			e.figures.queueEvent(as, released, nil)
		}
		if err != nil {
			e.figures.queueEvent(poolrt.EventFailure, 0, e.newError("trim", err))
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

// tidySource makes the source free addresses without memory. The lock is released meanwhile.
func (m *memory) tidySource(a *activity) {
	if free := m.Tidy; free != nil {
		a.visit(free)
	}
}

// shed takes surplus from the core and returns it to the source, with the lock released meanwhile. What the source refuses stays in the pool.
func (e *Engine) shed(due []surplus) (released int64, err error) {
	if len(due) == 0 || e.memory.Source == nil {
		return 0, nil
	}
	chunks := e.memory.layout.remove(due)
	if len(chunks) == 0 {
		return 0, nil
	}
	return e.release(poolrt.EventTrim, chunks, e.memory.layout.insert)
}

// shedTo returns surplus as long as the pool still holds keep bytes afterwards.
func (e *Engine) shedTo(keep int64) (released int64, err error) {
	left := e.limits.held() - keep
	if left < max(e.memory.page(), 1) { // saves a pass over the chunks, and the Go memory for their list
		return 0, nil
	}
	return e.shed(e.memory.collect(lastFirst, e.memory.atMost(left)))
}

// shedAtOnce returns surplus under a policy without Idle, and reports whether the pool has one.
func (e *Engine) shedAtOnce() (has bool) {
	p := e.life.trim.onFree()
	if has = p != nil && p.Idle == 0; has {
		_, _ = e.shedTo(p.Keep)
	}
	return has
}

// expire returns what has been empty for TrimPolicy.Idle. Until the first chunk is due, it only reads the clock. Cost then: one pass over the chunks. Under a policy
// without Idle it returns what frees have emptied unseen, at the same cost.
func (e *Engine) expire() {
	if !e.config.reportsEmptied() && e.shedAtOnce() {
		return
	}
	if e.life.trimAt.IsZero() {
		return
	}
	now := time.Now()
	if now.Before(e.life.trimAt) {
		return
	}
	e.life.trimAt = time.Time{}
	policy := e.life.trim
	left := e.limits.held() - policy.Keep
	if left >= max(e.memory.page(), 1) { // else all chunks stay until the pool has grown
		e.memory.layout.flush()
	}
	want := e.memory.atMost(left)
	_, _ = e.shed(e.memory.collect(lastFirst, func(s surplus) int64 {
		if due := s.since.Add(policy.Idle); now.Before(due) {
			e.life.schedule(due)
			return 0
		}
		return want(s)
	}))
}
