package poolimpl

import (
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

// Make makes a buffer of length n on the Go heap. It panics where make does: for a negative length. A buffer without bytes needs no block, so it is no fallback.
func (a *Adapter) Make(n int) []byte {
	b := make([]byte, n)
	if n > 0 {
		a.fallbacks.Add(1)
		a.fallbackBytes.Add(int64(n))
	}
	return b
}

// NotFreed counts a buffer, in its full capacity, that the pool of e did not take back. It stays what it was: a block stays live, and other memory is left to the garbage
// collector.
func (a *Adapter) NotFreed(e *Engine, b []byte) {
	switch {
	case len(b) == 0:
	case e.Owns(Place(unsafe.Pointer(unsafe.SliceData(b)))):
		a.refused.Add(1)
	default:
		a.foreign.Add(1)
	}
}

// Empty returns a buffer without bytes if n is 0. For any other length it panics with err, the error of the pool that has no block of that length: the interface
// of the caller has no errors, and a caller that got less memory than it asked for would write beyond it.
func Empty(n int, err error) []byte {
	if n != 0 {
		panic(fmt.Errorf("an allocator of Arrow reports a failure by a panic: %w", err))
	}
	return []byte{}
}
