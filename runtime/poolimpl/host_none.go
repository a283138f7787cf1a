//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows)

package poolimpl

import "fmt"

// heapUpTo is the size of the largest chunk that is taken from the Go heap. Beyond it make would panic rather than fail.
const heapUpTo = 1 << 46

func mapMemory(size, _ int64) (Chunk, error) {
	return Chunk{}, fmt.Errorf("%d bytes are too many for the Go heap", size)
}

func unmapMemory(Chunk) error { return nil }
