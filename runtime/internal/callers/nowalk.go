//go:build !gc || !(amd64 || arm64) || race || msan || asan || poolgen_noproc

package callers

// physical reports whether stacks have program counters as they are in memory.
const physical = false

// walk takes no stack: there are no frame pointers, or they are not looked at in this build.
func walk([]uintptr) int { return 0 }

// number finds no number: g is not looked at either.
func number() uint64 { return 0 }
