// Command exports is a shared library with pools of each form that programs in other languages can use.
package main

import (
	"sync"
	"unsafe"
)

func main() {}

// size is an item with the name of a parameter.
type size struct{ n int32 }

// held keeps what obtain has returned.
var held sync.Map

func obtain(bytes, align int64) (unsafe.Pointer, error) {
	b := make([]byte, bytes+align)
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), -int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))&(align-1))
	held.Store(p, b)
	return p, nil
}

func giveBack(p unsafe.Pointer, bytes int64) error {
	held.Delete(p)
	return nil
}
