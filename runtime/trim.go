package runtime

import "errors"

// Trim gives empty chunks back as long as the pool still holds keep bytes afterwards. Chunks with a live block stay. It returns the
// bytes given back. Memory cached for a size class counts as free. An error of the driver about frees on
// streams does not keep other chunks from going back. Cost: one pass over the chunks, and the source's call for each.
func (e *Engine) Trim(keep int64) (released int64, err error) {
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	switch {
	case e.life.closed:
		return 0, e.newError("trim", ErrClosed)
	case keep < 0:
		return 0, e.newError("trim", ErrBadSize)
	}
	_, asked := e.poll()
	released, err = e.trim(keep)
	if err == nil {
		err = asked
	}
	if err != nil {
		return released, e.newError("trim", err)
	}
	return released, nil
}

// trim releases every empty chunk whose bytes lie above keep, those in high slots first: as a rule they came last.
func (e *Engine) trim(keep int64) (int64, error) {
	if e.paged() {
		e.core.Flush()
		return e.trimPages(keep)
	}
	again, failed := e.retryUnreturned()
	var due []uint32
	left := e.held()
	for slot := len(e.chunks.list) - 1; slot >= 0; slot-- {
		size := e.chunks.list[slot].Size
		if e.empty(uint32(slot)) && left-size >= keep {
			left -= size
			due = append(due, uint32(slot))
		}
	}
	released, err := e.releaseChunks(due)
	if err == nil {
		err = failed
	}
	return again + released, err
}

// held is the bytes of the chunks that are not on their way back.
func (e *Engine) held() int64 { return e.limits.reserved - e.limits.releasing }

// releaseChunks gives empty chunks back to the source. One that the source does not take stays in the pool.
func (e *Engine) releaseChunks(slots []uint32) (int64, error) {
	if len(slots) == 0 || e.memory.Source == nil {
		return 0, nil
	}
	var chunks []Chunk
	for _, slot := range slots {
		if c, ok := e.evict(slot); ok {
			chunks = append(chunks, c)
		}
	}
	if len(chunks) == 0 {
		return 0, nil
	}
	e.capNext()
	return e.release(chunks, e.admit)
}

// release gives chunks that the core does not know any more back to the source, with the lock released meanwhile. Their bytes count
// against the limit until the source has them. Each one that the source does not take goes to keep. If the source panics, the chunk
// it was called with is lost, and the others are kept.
func (e *Engine) release(chunks []Chunk, keep func(Chunk)) (released int64, err error) {
	var kept []Chunk
	var total int64
	for _, c := range chunks {
		total += c.Size
	}
	e.limits.releasing += total
	tried := 0
	defer func() {
		kept = append(kept, chunks[tried:]...)
		released = total
		for _, c := range kept {
			released -= c.Size
			keep(c)
		}
		e.limits.releasing -= total
		e.subReserved(released, e.pieces(chunks)-e.pieces(kept))
		e.reportRelease(released, err)
	}()
	e.unlocked(func() {
		var errs []error
		for _, c := range chunks {
			tried++
			memory := c
			if Debug {
				memory = e.sourceChunk(c)
			}
			began := e.figures.meter.begin()
			err := e.memory.Source.Free(memory)
			e.figures.meter.end(began)
			if err != nil {
				kept, errs = append(kept, c), append(errs, err)
			}
		}
		err = errors.Join(errs...)
	})
	if err != nil {
		err = &causedBy{ErrNotReturned, err}
	}
	return released, err
}

// pieces counts chunks, or pages.
func (e *Engine) pieces(chunks []Chunk) (n int64) {
	if !e.paged() {
		return int64(len(chunks))
	}
	for _, c := range chunks {
		n += c.Size / e.memory.pages.Page
	}
	return n
}

// reportRelease tells everybody what a release came to.
func (e *Engine) reportRelease(released int64, err error) {
	if released > 0 {
		e.queueEvent(EventTrim, released, nil)
	}
	if err != nil {
		e.queueEvent(EventFailure, 0, e.newError("trim", err))
	}
	e.wakeNext()
}

// subReserved takes chunks that are gone off the count.
func (e *Engine) subReserved(bytes, chunks int64) {
	e.limits.reserved -= bytes
	e.limits.chunks -= chunks
	e.limits.released += bytes
	e.config.Budget.release(bytes)
}
