//go:build !gc || poolgen_noproc

package poolimpl

import "unsafe"

// Pins reports whether Pin keeps its caller on a processor.
const Pins = false

// Proc returns a number that stays the same for a goroutine as long as its stack does not move, and that differs between goroutines as a hash does.
//
//go:nosplit
func Proc() uint32 {
	var here byte
	at := uint64(uintptr(unsafe.Pointer(&here))) >> 11 // the smallest stacks are 2 KiB
	return uint32(at * 0x9E3779B97F4A7C15 >> 48)
}

// Pin returns what Proc does. It does not pin the caller.
//
//go:nosplit
func Pin() uint32 { return Proc() }

// Unpin does nothing.
//
//go:nosplit
func Unpin() {}

// Synchronize does nothing: no goroutine is ever pinned.
func Synchronize() {}
