//go:build gc && !poolgen_noproc

package poolimpl

import (
	rt "runtime"
	_ "unsafe" // for go:linkname
)

// Pins: Pin keeps its caller where it is.
const Pins = true

// The Go runtime keeps these two for packages outside, among those that it says it will not break.

//go:linkname procPin runtime.procPin
//go:nosplit
func procPin() int

//go:linkname procUnpin runtime.procUnpin
//go:nosplit
func procUnpin()

// Proc returns the number of the processor, of Go's scheduler, that the caller runs on: a hint, as the caller may continue on another one at once. It is
// less than GOMAXPROCS, which may change at any time. With the build tag poolgen_noproc it is a hash of where the goroutine's stack is.
// Part of the fast path of sharded pools; 3 ns.
//
//go:nosplit
func Proc() uint32 {
	n := procPin()
	procUnpin()
	return uint32(n)
}

// Pin keeps the caller on its processor until Unpin, with nobody else running there, and returns the processor's number. In between there
// must be nothing that takes long, blocks, or may make the stack grow. With the build tag poolgen_noproc it only returns what Proc does. Pin and Unpin are the two
// steps of Proc, which the compiler inlines.
//
//go:nosplit
func Pin() uint32 { return uint32(procPin()) }

// Unpin ends what Pin began.
//
//go:nosplit
func Unpin() { procUnpin() }

// Synchronize returns once everybody who was pinned at the call has unpinned. Whoever pins afterwards sees what the caller wrote before; the caller sees what those who
// were pinned wrote. It must not be called while pinned.
//
// It stops the program for a moment. A goroutine is not stopped while it is pinned, so each one has unpinned by then. Of the functions that stop all goroutines this
// one has the least to do meanwhile. Cost: some 20 us on 4 busy processors, 80 us on 16, more if the system has taken the
// threads off their processors.
func Synchronize() { rt.Stack(nil, true) }
