//go:build !gc || poolgen_noproc

package poolimpl

// Pins reports whether Pin keeps its caller on a processor.
const Pins = false

// Proc returns a number of the goroutine.
//
//go:nosplit
func Proc() uint32 { return stackHash() }

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
