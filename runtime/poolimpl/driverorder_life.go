package poolimpl

import (
	"runtime"
	"slices"
)

// openDriver takes the source of a pool that has just been opened. Nobody has allocated yet.
func (e *Engine) openDriver() {
	if d := e.core.driver; d != nil {
		d.source = e.memory.Streams
		if m := e.memory.meter; m.Meter != nil {
			d.source = meteredStreams{d.source, m}
		}
		e.admit()
	}
}

// driverChunks takes all blocks out of the table of a pool that is being closed, and lists their memory. Each block is listed here, or taken by a free. It waits for
// frees that have taken a block already: they need the source. The memory of graphs is listed elsewhere.
func (e *Engine) driverChunks() (chunks []Chunk) {
	d := e.core.driver
	if d == nil {
		return nil
	}
	for {
		d.evict(func(b driverBlock) {
			chunks = append(chunks, b.chunk())
			if b.onStream && !slices.Contains(d.behind, b.on) {
				d.behind = append(d.behind, b.on)
			}
		})
		chunks = append(chunks, d.unused.take()...)
		if sizeOf(chunks) == d.reserved.Load()-d.private.Load() {
			break
		}
		runtime.Gosched()
	}
	e.post()
	e.limits.chunks += int64(len(chunks))
	return chunks
}

// waitBehind waits for the streams on which the blocks of a closed pool were allocated: they may not have reached that, nor what the pool itself has queued on the
// blocks. Streams that fail are not waited for. The lock is released meanwhile.
func (e *Engine) waitBehind() {
	if e.core.driver == nil || len(e.core.driver.behind) == 0 {
		return
	}
	streams := e.core.driver.behind
	e.core.driver.behind = nil
	fences := fencesOf{line: e.memory.Timeline, fences: &e.streams.fences}
	e.activity.visit(&e.poolLock, func() {
		defer fences.release()
		_ = fences.record(streams)
		for _, fence := range fences.list {
			_ = fences.line.Sync(fence)
		}
	})
}
