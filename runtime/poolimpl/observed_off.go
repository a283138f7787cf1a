//go:build !pooldebug

package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// alloc traces a block that is about to be handed out.
func (o *observed) alloc(e *Engine, _ Call, b foundBlock, bytes uint64, s *Stream) {
	o.tracing.alloc(e, b.Addr, bytes, s)
}

// free traces a free, and frees the block, unless fits reports that the caller's handle is stale. If the driver fails, the block is live as before. The caller does
// not hold e.mu.
func (o *observed) free(e *Engine, _ Call, place, bytes uint64, s *Stream, fits func() bool) error {
	if fits == nil {
		o.tracing.free(e, place, bytes, s)
		sweeps := o.samples.Sweeps()
		was := o.samples.Take(place, bytes)
		err := e.freeBlock(place, bytes, s, nil)
		if err != nil && !errors.Is(err, poolrt.ErrInvalidFree) && !errors.Is(err, poolrt.ErrCorrupt) {
			o.samples.PutBack(place, was, sweeps)
		}
		return err
	}
	return e.freeBlock(place, bytes, s, func() bool {
		ok := fits()
		if ok {
			o.tracing.free(e, place, bytes, s)
			o.samples.Take(place, bytes)
		}
		return ok
	})
}
