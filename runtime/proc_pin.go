//go:build gc && !poolgen_noproc

package runtime

import _ "unsafe" // for go:linkname

// The Go runtime keeps these two for packages outside, among those that it says it will not break.

//go:linkname procPin runtime.procPin
//go:nosplit
func procPin() int

//go:linkname procUnpin runtime.procUnpin
//go:nosplit
func procUnpin()

// Proc returns the number of the processor, of Go's scheduler, that the caller runs on: a hint, as it may go on on another one at once. It is
// less than GOMAXPROCS, which may change at any time. With the build tag poolgen_noproc it is a hash of where the goroutine's stack is.
// Part of the fast path of sharded pools; 3 ns.
//
//go:nosplit
func Proc() uint32 {
	n := procPin()
	procUnpin()
	return uint32(n)
}
