package poolimpl

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// trim returns to the system what the driver keeps unused. The lock is released meanwhile.
func (*DriverBlocks) trim(e *Engine) (err error) {
	if e.memory.Streams == nil {
		return nil
	}
	source := e.memory.Streams
	e.activity.visit(func() { err = source.TrimUnused() })
	return err
}

// observe lets the driver see which frees the streams have passed that the pool remembers: it returns only memory whose free it has seen. The lock is released
// meanwhile.
func (d *DriverBlocks) observe(e *Engine) {
	if e.memory.Streams == nil {
		return
	}
	source, list := e.memory.Streams, d.freedOn.list()
	e.activity.visit(func() {
		for _, s := range list {
			source.Observe(s)
		}
	})
}

// drain is the rung drain in a pool with ordering driver: it waits for the streams of the frees that the pool remembers, and tries again whenever one of
// them has passed its frees. The lock is released meanwhile.
func (d *DriverBlocks) drain(e *Engine, r request, was error) (b foundBlock, err error) {
	if reason(was) != poolrt.ErrOutOfMemory { // bytes do not count as live after the free
		return foundBlock{}, because(was, errDrained)
	}
	ctx, cancel := r.waitsUntil(e.config.WaitTimeout)
	defer cancel()
	end := errDrained
	left := fencesOf{line: e.memory.Timeline, fences: &e.streams.fences}
	e.activity.visit(func() {
		defer left.release()
		if failed := left.record(d.freedOn.list()); failed != nil {
			end = failed
		}
		for err = was; ; time.Sleep(pollEvery) {
			if left.drop() {
				if b, _, err = d.allocFor(e, r); err == nil || !temporary(err) {
					return
				}
			}
			switch {
			case len(left.list) == 0:
				err = because(err, end)
				return
			case ctx.Err() != nil:
				err = because(err, ending(ctx))
				return
			}
		}
	})
	return b, err
}
