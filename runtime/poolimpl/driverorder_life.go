package poolimpl

import (
	"runtime"
	"slices"
)

// opened takes the source of a pool that has just been opened. Nobody has allocated yet.
func (d *DriverBlocks) opened(e *Engine) {
	d.source = e.memory.Streams
	if m := e.memory.meter; m.Meter != nil {
		d.source = meteredStreams{d.source, m}
	}
	d.admit(e)
}

// closed takes all blocks out of the table of a pool that is being closed, and lists their memory. Each block is listed here, or taken by a free. It waits for
// frees that have taken a block already: they need the source. The memory of graphs is listed elsewhere.
func (d *DriverBlocks) closed(e *Engine) (chunks []Chunk) {
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
	d.post(e)
	e.limits.chunks += int64(len(chunks))
	return chunks
}

// waitBehind waits for the streams on which the blocks of a closed pool were allocated: they may not have reached that, nor what the pool itself has queued on the
// blocks. Streams that fail are not waited for. The lock is released meanwhile.
func (d *DriverBlocks) waitBehind(e *Engine) {
	if len(d.behind) == 0 {
		return
	}
	streams := d.behind
	d.behind = nil
	fences := fencesOf{line: e.memory.Timeline, fences: &e.streams.fences}
	e.activity.visit(func() {
		defer fences.release()
		_ = fences.record(streams)
		for _, fence := range fences.list {
			_ = fences.line.Sync(fence)
		}
	})
}
