//go:build !gc || poolgen_noproc

package poolimpl

import "unsafe"

// Pins: Pin keeps its caller where it is.
const Pins = false

// Proc returns a number that is the same for a goroutine as long as its stack stays where it is, and spread over goroutines.
//
//go:nosplit
func Proc() uint32 {
	var here byte
	at := uint64(uintptr(unsafe.Pointer(&here))) >> 11 // the smallest stacks are 2 KiB
	return uint32(at * 0x9E3779B97F4A7C15 >> 48)
}

// Pin returns what Proc does. It keeps nobody anywhere.
//
//go:nosplit
func Pin() uint32 { return Proc() }

// Unpin does nothing.
//
//go:nosplit
func Unpin() {}

// Synchronize does nothing, as nobody is ever pinned.
func Synchronize() {}
