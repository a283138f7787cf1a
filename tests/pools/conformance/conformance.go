// Package conformance tests that generated pools behave as the memory tests of the OptiX Toolkit require, cases that those omit,
// and guarantees that other pool libraries have broken. Each test is named after the number of the behaviour and states where poolgen
// differs on purpose. Behaviours of one suballocator are tested with its template, and those that need a GPU or a stream with the
// driver's pools.
package conformance

import (
	"sync/atomic"
	"unsafe"
)

//go:generate go tool poolgen generate

// taken counts the chunks of allocator custom that have not been given back.
var taken atomic.Int64

func mapChunk(size, align int64) (unsafe.Pointer, error) {
	b := make([]byte, size+align)
	taken.Add(1)
	p := unsafe.Pointer(unsafe.SliceData(b))
	return unsafe.Add(p, -uintptr(p)&uintptr(align-1)), nil
}

func unmapChunk(unsafe.Pointer, int64) error {
	taken.Add(-1)
	return nil
}

// node is the item of a pool that is not exported.
type node struct{ left, right uint32 }
