// Package callers takes call stacks by the frame pointers that Go keeps on amd64 and arm64. That takes two nanoseconds for a call. runtime.Callers, which looks each
// call up in tables, takes fifty, and does so here where there are no frame pointers, or where they lead out of the stack, as in functions that C code has called.
//
// A stack so taken has one program counter for a call and the calls that are inlined into it, and has those of wrappers that the compiler makes. Frames lists its
// calls as they are written. Two callers may be missing: that of a function marked nosplit without variables, and that of a function that has faulted and calls nothing.
package callers

import "runtime"

// Take fills stack with the program counters of the calls under way, the innermost first, and returns their number. The first one may be that of a call in this
// package.
//
//go:noinline
func Take(stack []uintptr) int {
	if n := walk(stack); n > 0 {
		return n
	}
	return runtime.Callers(2, stack)
}
