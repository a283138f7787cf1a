//go:build race || !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows)

package runtime

import (
	"fmt"
	"unsafe"
)

// maxHeapChunk is where make would panic rather than fail on 64-bit systems.
const maxHeapChunk = int64(1) << 46

// mapMemory takes the chunk from the Go heap. The engine's chunk table keeps it alive.
func mapMemory(size, align int64) (Chunk, error) {
	if size+align > maxHeapChunk {
		return Chunk{}, fmt.Errorf("%d bytes are too many for the Go heap", size)
	}
	b := make([]byte, size+align-1)
	p := unsafe.Pointer(unsafe.SliceData(b))
	p = unsafe.Add(p, -int64(uintptr(p))&(align-1))
	return Chunk{Ptr: p, Addr: uint64(uintptr(p)), Size: size}, nil
}

// unmapMemory has nothing to do: the garbage collector takes the chunk once the table forgets it.
func unmapMemory(Chunk) error { return nil }
