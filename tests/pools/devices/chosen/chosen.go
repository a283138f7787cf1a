// Package chosen holds generated pools whose programs choose the allocator, and their tests on the simulated driver. Run them with
//
//	go test ./tests -pools '-tags cudasim ./devices/chosen'
package chosen

import (
	"sync/atomic"
	"unsafe"
)

//go:generate go tool poolgen generate

// taken counts the chunks of allocator custom that have not been given back.
var taken atomic.Int64

// take returns memory that is not zero.
func take(size, align int64) (unsafe.Pointer, error) {
	b := make([]byte, size+align)
	for i := range b {
		b[i] = 0xA5
	}
	taken.Add(1)
	p := unsafe.Pointer(unsafe.SliceData(b))
	return unsafe.Add(p, -uintptr(p)&uintptr(align-1)), nil
}

func give(unsafe.Pointer, int64) error {
	taken.Add(-1)
	return nil
}
