//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows)

package poolimpl

import "fmt"

// mapsMemory says that there is no way to map memory.
const mapsMemory = false

func mapMemory(size, _ int64) (Chunk, error) {
	return Chunk{}, fmt.Errorf("%d bytes are too many for the Go heap", size)
}

func unmapMemory(Chunk) error { return nil }
