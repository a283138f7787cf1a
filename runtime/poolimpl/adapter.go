package poolimpl

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Adapter is the part of an adapter that is the same for all pools: what becomes of buffers that are no blocks. Generated code calls it when a call of the pool has
// failed. The zero value is ready to use. Safe for concurrent use.
type Adapter struct {
	fallbacks, fallbackBytes, foreign, refused atomic.Int64
}

// Stats returns what the adapter has counted.
func (a *Adapter) Stats() poolrt.AdapterStats {
	return poolrt.AdapterStats{
		Fallbacks: a.fallbacks.Load(), FallbackBytes: a.fallbackBytes.Load(),
		Foreign: a.foreign.Load(), Refused: a.refused.Load(),
	}
}

// Make makes a buffer of length n on the Go heap. It panics where make does: for a negative length.
func (a *Adapter) Make(n int) []byte {
	b := make([]byte, n)
	a.fallbacks.Add(1)
	a.fallbackBytes.Add(int64(n))
	return b
}

// NotFreed counts a buffer, in its full capacity, that the pool of e did not take back, with the error of its free. It stays what it was: a block stays live, and other
// memory is left to the garbage collector. A block with damage beside it was freed: an event reports the damage.
func (a *Adapter) NotFreed(e *Engine, b []byte, err error) {
	switch {
	case len(b) == 0, errors.Is(err, poolrt.ErrCorrupt):
	case e.Owns(Place(unsafe.Pointer(unsafe.SliceData(b)))):
		a.refused.Add(1)
	default:
		a.foreign.Add(1)
	}
}

// Unserved returns what an allocator of Arrow panics with when the pool has no block: the interface has no errors, and a caller that got less memory than it asked for
// would write beyond it.
func Unserved(err error) error {
	return fmt.Errorf("an allocator of Arrow reports a failure by a panic: %w", err)
}
