package poolimpl

import "unsafe"

// stackHash returns a number that stays the same for a goroutine as long as its stack does not move, and that
// differs between goroutines as a hash does.
//
//go:nosplit
func stackHash() uint32 {
	var here byte
	at := uint64(uintptr(unsafe.Pointer(&here))) >> 11 // the smallest stacks are 2 KiB
	return uint32(at * 0x9E3779B97F4A7C15 >> 48)
}
