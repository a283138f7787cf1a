package guarantee

import (
	"fmt"
	"unsafe"
)

// memory is the allocator of the pool Custom.
var memory = supply{held: map[unsafe.Pointer][]byte{}}

// supply hands out memory of the Go heap, and holds the pool to its limit at each call.
type supply struct {
	held  map[unsafe.Pointer][]byte
	bytes int64
	limit int64
}

func take(size, _ int64) (unsafe.Pointer, error) {
	memory.bytes += size
	if memory.bytes > memory.limit {
		panic(fmt.Sprintf("the pool asks for %d bytes, %d in all, beyond its limit of %d", size, memory.bytes, memory.limit))
	}
	b := make([]byte, size+alignment)
	p := unsafe.Pointer(unsafe.SliceData(b))
	p = unsafe.Add(p, -uintptr(p)&(alignment-1))
	memory.held[p] = b
	return p, nil
}

func give(p unsafe.Pointer, size int64) error {
	memory.bytes -= size
	delete(memory.held, p)
	return nil
}

// alignment is what the pool asks for at most.
const alignment = 4 << 10
