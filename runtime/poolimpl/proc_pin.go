//go:build gc && !poolgen_noproc

package poolimpl

import (
	rt "runtime"
	_ "unsafe" // for go:linkname
)

// Pins reports whether Pin keeps its caller on a processor.
const Pins = true

// The Go runtime lists these two functions among those that other packages use and that it will not remove.

//go:linkname procPin runtime.procPin
//go:nosplit
func procPin() int

//go:linkname procUnpin runtime.procUnpin
//go:nosplit
func procUnpin()

// Proc returns the number of the processor of Go's scheduler on which the caller runs. The number is a hint, as the caller may move to another processor at
// once. It is less than GOMAXPROCS, which may change at any time. With the build tag poolgen_noproc, it is a hash of the address of the goroutine's stack.
// Part of the fast path of sharded pools; cost: 3 ns.
//
//go:nosplit
func Proc() uint32 {
	n := procPin()
	procUnpin()
	return uint32(n)
}

// Pin keeps the caller on its processor until Unpin, without other goroutines there, and returns the number of the processor. Between Pin and Unpin, the
// caller must not block, take long, or grow its stack. With the build tag poolgen_noproc, Pin only returns what Proc does. Pin and Unpin are the two steps of
// Proc, which the compiler inlines.
//
//go:nosplit
func Pin() uint32 { return uint32(procPin()) }

// Unpin ends Pin.
//
//go:nosplit
func Unpin() { procUnpin() }

// Synchronize returns when every goroutine that was pinned at the call has unpinned. A goroutine that pins afterwards sees what the caller wrote before the
// call, and the caller sees what the unpinned goroutines wrote. It must not be called while pinned.
//
// Synchronize stops the program for a moment. The scheduler does not stop a goroutine while it is pinned, so each one has unpinned by then. Of the functions
// that stop all goroutines, this one does the least meanwhile. Cost: some 20 us on 4 busy processors, 80 us on 16, more if the system has descheduled the
// threads.
func Synchronize() { rt.Stack(nil, true) }
