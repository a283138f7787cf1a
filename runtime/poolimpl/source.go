package poolimpl

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/build"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Source supplies the chunks of a pool. It is called without the pool's lock: Alloc by one goroutine of a pool at a time, Free by any number. A Source must
// not use the pool that it supplies: the pool would wait for itself.
type Source interface {
	// Alloc returns a chunk of size bytes whose address is a multiple of align, a power of two. A chunk that comes with an error cannot be used: the pool calls
	// Free with it, again and again if Free fails. After an error that matches poolrt.ErrOutOfMemory the pool may ask for less.
	Alloc(size, align int64) (Chunk, error)
	// Free takes a chunk back. After an error the chunk is unchanged, and the pool goes on using it, or calls Free again.
	Free(Chunk) error
}

// ErrApart is the error of Bound.Behind where other memory is behind the chunk.
var ErrApart = errors.New("other memory is behind the chunk")

// Chunk is memory that a source supplied.
type Chunk struct {
	Ptr    unsafe.Pointer // for memory that Go code can address, else nil
	Addr   uint64         // the address as a number
	Size   int64          // bytes
	Origin uint64         // set and read by the source, such as the start of a larger mapping
}

// Host returns the source of ordinary memory. On Linux, macOS, the BSDs, Solaris and Windows, chunks are anonymous mappings, which take up no memory until
// they are touched. Elsewhere they come from the Go heap, and so do chunks of up to 1 GiB under the race detector, which checks Go's own memory only. Chunks
// are zero. The source is safe for concurrent use.
func Host() Source { return hostSource{} }

type hostSource struct{}

// Sources is the Binder of a pool without a device whose pool file lists allocators: their sources, by the names there.
type Sources map[string]Source

// Bind returns the source of the allocator that is requested.
func (s Sources) Bind(ask Binding) (Bound, error) {
	if ask.Device != NoDevice {
		return Bound{}, &causedBy{poolrt.ErrUnsupported, fmt.Errorf("allocator %s is on no device", ask.Allocator)}
	}
	return Bound{Source: s[ask.Allocator], Clean: ask.Allocator == "host", Allocator: ask.Allocator}, nil
}

func (hostSource) Alloc(size, align int64) (Chunk, error) {
	switch {
	case size > maxMapping-align:
		return Chunk{}, fmt.Errorf("%d bytes do not fit the address space", size)
	case size <= heapUpTo():
		return heapMemory(size, align), nil
	case system == nil:
		return Chunk{}, fmt.Errorf("%d bytes are too many for the Go heap", size)
	}
	c, err := system.Alloc(size, align)
	if err != nil {
		return Chunk{}, &causedBy{poolrt.ErrOutOfMemory, err}
	}
	return c, nil
}

func (hostSource) Free(c Chunk) error {
	if c.Size <= heapUpTo() {
		return nil // the garbage collector frees the chunk, since the chunk table has dropped it
	}
	return system.Free(c)
}

// addresses returns what reserves addresses for chunks of this source; nil if nothing does. Where a process may have few addresses, reserved ones would lack
// elsewhere.
func (hostSource) addresses() addresses {
	if a, ok := system.(addresses); ok && mapped() && maxMapping > 1<<32 && !fewAddresses() {
		return a
	}
	return nil
}

// mapped reports whether pages of all chunks of this source may come and go: they are mappings of the system, which nothing fills.
func mapped() bool { return heapUpTo() == 0 && !Debug }

// fewAddresses reports whether the system bounds the addresses of the process. host_linux.go sets it.
var fewAddresses = func() bool { return false }

// system maps the memory of the larger chunks. host_unix.go and host_windows.go set it; on other systems it is nil, and all chunks come from the Go heap.
var system Source

// heapUpTo returns the size of the largest chunk that is taken from the Go heap. The race detector checks accesses to blocks there. Larger chunks are mapped:
// if the system has not enough memory, mmap returns an error, while the Go heap ends the program. Without mappings, the bound only excludes sizes for which make
// would panic.
func heapUpTo() int64 {
	switch {
	case system == nil:
		return 1 << 46
	case build.Race:
		return 1 << 30
	}
	return 0
}

// heapMemory takes a chunk from the Go heap. The pool's chunk table keeps it alive.
func heapMemory(size, align int64) Chunk {
	b := make([]byte, size+align-1)
	p := unsafe.Pointer(unsafe.SliceData(b))
	p = unsafe.Add(p, -int64(uintptr(p))&(align-1))
	return Chunk{Ptr: p, Addr: uint64(uintptr(p)), Size: size}
}

// maxMapping is the largest length of a mapping on this platform.
const maxMapping = int64(^uintptr(0) >> 1)

// CustomSource returns a source made of two functions, which a pool file names with alloc and free. alloc returns memory whose address is a multiple of align,
// or an error; after one that matches poolrt.ErrOutOfMemory the pool may ask for less. Memory that is not aligned is refused and goes back by free. Memory that overlaps memory which the pool has is refused, and free is not called:
// it would take memory of live blocks. free gets the same address and size; after an error the memory stays in use, or free is called again. Both are called as
// the methods of a [Source] are.
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
		return Chunk{Ptr: p, Addr: addr, Size: size}, fmt.Errorf("alloc returned %#x, which is not aligned to %d bytes", addr, align)
	}
	return Chunk{Ptr: p, Addr: addr, Size: size}, nil
}

func (s customSource) Free(c Chunk) error { return s.free(c.Ptr, c.Size) }

// meter times calls of the source and the driver. Without a Meter it does not read the clock.
type meter struct{ registry.Meter }

// begin returns the time when a call begins, for end.
func (m meter) begin() time.Time {
	if m.Meter == nil {
		return time.Time{}
	}
	return time.Now()
}

// end counts the call that began at the given time.
func (m meter) end(began time.Time) {
	if m.Meter != nil {
		m.count(began)
	}
}

// count is apart, so that end is inlined.
func (m meter) count(began time.Time) { m.Count(time.Since(began)) }
