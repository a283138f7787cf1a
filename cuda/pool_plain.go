package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// driverAlignment is the alignment in bytes of every address from cuMemAlloc and similar functions.
const driverAlignment = 256

// bind is allocator device: cuMemAlloc.
func (DeviceMemory) bind(m Allocator, at site, _ poolimpl.Binding) (poolimpl.Bound, error) {
	if err := at.admit(m.Peers); err != nil {
		return poolimpl.Bound{}, err
	}
	return poolimpl.Bound{Source: deviceSource{at}}, nil
}

// deviceSource supplies device memory.
type deviceSource struct{ site }

func (s deviceSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	return aligned(size, align, func(n int64) (poolimpl.Chunk, error) {
		p, r := s.drv.MemAlloc(s.ctx, uint64(n))
		return poolimpl.Chunk{Addr: uint64(p)}, check(r, "MemAlloc", s.dev, n)
	})
}

func (s deviceSource) Free(c poolimpl.Chunk) error {
	return check(s.drv.MemFree(s.ctx, abi.Ptr(c.Origin)), "MemFree", s.dev, c.Size)
}

// bind is allocator pinned: page-locked host memory.
func (PinnedMemory) bind(m Allocator, at site, _ poolimpl.Binding) (poolimpl.Bound, error) {
	var flags uint32
	for _, f := range []struct {
		on   bool
		flag uint32
	}{{m.Portable, abi.HostPortable}, {m.Mapped, abi.HostDeviceMap}, {m.WriteCombined, abi.HostWriteCombined}} {
		if f.on {
			flags |= f.flag
		}
	}
	return poolimpl.Bound{Source: pinnedSource{at, flags}}, nil
}

// pinnedSource supplies page-locked host memory.
type pinnedSource struct {
	site
	flags uint32
}

func (s pinnedSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	return aligned(size, align, func(n int64) (poolimpl.Chunk, error) {
		p, r := s.drv.MemHostAlloc(s.ctx, uint64(n), s.flags)
		return hostChunk(p), check(r, "MemHostAlloc", s.dev, n)
	})
}

func (s pinnedSource) Free(c poolimpl.Chunk) error {
	return check(s.drv.MemFreeHost(s.ctx, origin(c)), "MemFreeHost", s.dev, c.Size)
}

// bind is allocator managed: memory that moves between host and device.
func (ManagedMemory) bind(m Allocator, at site, _ poolimpl.Binding) (poolimpl.Bound, error) {
	return poolimpl.Bound{Source: managedSource{at}}, nil
}

// managedSource supplies managed memory, but never more than is free on the device: swapping by the driver can slow down the whole machine.
type managedSource struct{ site }

func (s managedSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	return aligned(size, align, func(n int64) (poolimpl.Chunk, error) {
		free, _, r := s.drv.MemGetInfo(s.ctx)
		if err := check(r, "MemGetInfo", s.dev, 0); err != nil {
			return poolimpl.Chunk{}, err
		}
		if uint64(n) > free {
			return poolimpl.Chunk{}, fmt.Errorf("%w: %d bytes of managed memory, and device %d has %d free", poolrt.ErrOutOfMemory, n, s.dev, free)
		}
		p, r := s.drv.MemAllocManaged(s.ctx, uint64(n), abi.ManagedGlobal)
		return hostChunk(p), check(r, "MemAllocManaged", s.dev, n)
	})
}

func (s managedSource) Free(c poolimpl.Chunk) error {
	return check(s.drv.MemFree(s.ctx, abi.Ptr(c.Origin)), "MemFree", s.dev, c.Size)
}

// aligned allocates a chunk whose address is a multiple of align. If the driver promises less, it allocates align bytes
// more. Origin is the start of the driver's memory. A chunk that comes with an error is for the pool to return.
func aligned(size, align int64, get func(bytes int64) (poolimpl.Chunk, error)) (poolimpl.Chunk, error) {
	n := size
	if align > driverAlignment {
		n += align - driverAlignment
	}
	if n < size {
		return poolimpl.Chunk{}, errors.New("the size is beyond what an address can express")
	}
	c, err := get(n)
	if err != nil && c.Addr == 0 {
		return poolimpl.Chunk{}, err
	}
	skip := -c.Addr & uint64(align-1)
	c.Origin, c.Addr, c.Size = c.Addr, c.Addr+skip, size
	if c.Ptr != nil {
		c.Ptr = unsafe.Add(c.Ptr, int64(skip))
	}
	return c, err
}

// hostChunk returns a chunk of memory that Go code can address.
func hostChunk(p unsafe.Pointer) poolimpl.Chunk {
	return poolimpl.Chunk{Ptr: p, Addr: uint64(uintptr(p))}
}

// origin returns the start of the driver's memory.
func origin(c poolimpl.Chunk) unsafe.Pointer { return unsafe.Add(c.Ptr, -int64(c.Addr-c.Origin)) }
