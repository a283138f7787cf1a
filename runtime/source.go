package runtime

import (
	"errors"
	"fmt"
	"unsafe"
)

// Source supplies the chunks of a pool. It is called outside the pool's lock, by one goroutine of a pool at a time when
// it allocates and by any number when it frees. It must not use the pool that it is supplying, which would wait for itself.
type Source interface {
	// Alloc returns a chunk of size bytes whose address is a multiple of align, a power of two.
	Alloc(size, align int64) (Chunk, error)
	// Free takes a chunk back. An error says that the chunk is still there, as it was: the pool goes on using it.
	Free(Chunk) error
}

// Chunk is a piece of memory that a source supplied.
type Chunk struct {
	Ptr    unsafe.Pointer // for memory that Go code can address, else nil
	Addr   uint64         // the address as a number
	Size   int64          // bytes
	Origin uint64         // the source's own note, such as the start of a larger mapping
}

// Host returns the source of ordinary memory: anonymous mappings that take up nothing until they are touched (on
// Linux, macOS, the BSDs and Windows), or the Go heap (elsewhere, and under the race detector, which sees only Go's own memory, save
// for chunks of more than 1 GiB). Chunks are zero when they arrive. Safe for concurrent use.
func Host() Source { return hostSource{} }

type hostSource struct{}

func (hostSource) Alloc(size, align int64) (Chunk, error) {
	switch {
	case size > maxMapping-align:
		return Chunk{}, fmt.Errorf("%d bytes do not fit the address space", size)
	case size <= heapUpTo:
		return heapMemory(size, align), nil
	}
	return mapMemory(size, align)
}

func (hostSource) Free(c Chunk) error {
	if c.Size <= heapUpTo {
		return nil // the garbage collector takes it once the chunk table has forgotten it
	}
	return unmapMemory(c)
}

// heapMemory takes a chunk from the Go heap. The engine's chunk table keeps it alive.
func heapMemory(size, align int64) Chunk {
	b := make([]byte, size+align-1)
	p := unsafe.Pointer(unsafe.SliceData(b))
	p = unsafe.Add(p, -int64(uintptr(p))&(align-1))
	return Chunk{Ptr: p, Addr: uint64(uintptr(p)), Size: size}
}

// maxMapping is the largest length that a mapping can have on this platform.
const maxMapping = int64(^uintptr(0) >> 1)

// CustomSource makes a source of two functions: the ones a pool file names with alloc and free. alloc returns memory aligned to at
// least align bytes, or an error; free gets the same address and size back, and if it returns an error the memory stays in use.
func CustomSource(alloc func(size, align int64) (unsafe.Pointer, error), free func(p unsafe.Pointer, size int64) error) Source {
	return customSource{alloc, free}
}

type customSource struct {
	alloc func(size, align int64) (unsafe.Pointer, error)
	free  func(p unsafe.Pointer, size int64) error
}

func (s customSource) Alloc(size, align int64) (Chunk, error) {
	p, err := s.alloc(size, align)
	if err != nil {
		return Chunk{}, err
	}
	if p == nil {
		return Chunk{}, errors.New("alloc returned nil")
	}
	addr := uint64(uintptr(p))
	if addr&uint64(align-1) != 0 {
		err := fmt.Errorf("alloc returned %#x, which is not aligned to %d bytes", addr, align)
		return Chunk{}, errors.Join(err, s.free(p, size))
	}
	return Chunk{Ptr: p, Addr: addr, Size: size}, nil
}

func (s customSource) Free(c Chunk) error { return s.free(c.Ptr, c.Size) }
