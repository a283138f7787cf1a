package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// driverAlignment is what every address from cuMemAlloc and its kin is a multiple of, in bytes.
const driverAlignment = 256

// plain is allocator device: cuMemAlloc.
func (m Allocator) plain(at site, _ runtime.Binding) (runtime.Bound, error) {
	if err := at.admit(m.Peers); err != nil {
		return runtime.Bound{}, err
	}
	return runtime.Bound{Source: deviceSource{at}}, nil
}

// deviceSource supplies device memory.
type deviceSource struct{ site }

func (s deviceSource) Alloc(size, align int64) (runtime.Chunk, error) {
	return aligned(size, align, func(n int64) (runtime.Chunk, error) {
		p, r := s.drv.MemAlloc(s.ctx, uint64(n))
		return runtime.Chunk{Addr: uint64(p)}, check(r, "MemAlloc", s.dev, n)
	})
}

func (s deviceSource) Free(c runtime.Chunk) error {
	return check(s.drv.MemFree(s.ctx, abi.Ptr(c.Origin)), "MemFree", s.dev, c.Size)
}

// pinned is allocator pinned: page-locked host memory.
func (m Allocator) pinned(at site, _ runtime.Binding) (runtime.Bound, error) {
	var flags uint32
	for _, f := range []struct {
		on   bool
		flag uint32
	}{{m.Portable, abi.HostPortable}, {m.Mapped, abi.HostDeviceMap}, {m.WriteCombined, abi.HostWriteCombined}} {
		if f.on {
			flags |= f.flag
		}
	}
	return runtime.Bound{Source: pinnedSource{at, flags}}, nil
}

// pinnedSource supplies page-locked host memory.
type pinnedSource struct {
	site
	flags uint32
}

func (s pinnedSource) Alloc(size, align int64) (runtime.Chunk, error) {
	return aligned(size, align, func(n int64) (runtime.Chunk, error) {
		p, r := s.drv.MemHostAlloc(s.ctx, uint64(n), s.flags)
		return hostChunk(p), check(r, "MemHostAlloc", s.dev, n)
	})
}

func (s pinnedSource) Free(c runtime.Chunk) error {
	return check(s.drv.MemFreeHost(s.ctx, origin(c)), "MemFreeHost", s.dev, c.Size)
}

// managed is allocator managed: memory that moves between host and device.
func (m Allocator) managed(at site, _ runtime.Binding) (runtime.Bound, error) {
	return runtime.Bound{Source: managedSource{at}}, nil
}

// managedSource supplies managed memory, never more than the card has free: a driver that swaps can slow down the whole machine.
type managedSource struct{ site }

func (s managedSource) Alloc(size, align int64) (runtime.Chunk, error) {
	return aligned(size, align, func(n int64) (runtime.Chunk, error) {
		free, _, r := s.drv.MemGetInfo(s.ctx)
		if err := check(r, "MemGetInfo", s.dev, 0); err != nil {
			return runtime.Chunk{}, err
		}
		if uint64(n) > free {
			return runtime.Chunk{}, fmt.Errorf("%w: %d bytes of managed memory, and device %d has %d free", runtime.ErrOutOfMemory, n, s.dev, free)
		}
		p, r := s.drv.MemAllocManaged(s.ctx, uint64(n), abi.ManagedGlobal)
		return hostChunk(p), check(r, "MemAllocManaged", s.dev, n)
	})
}

func (s managedSource) Free(c runtime.Chunk) error {
	return check(s.drv.MemFree(s.ctx, abi.Ptr(c.Origin)), "MemFree", s.dev, c.Size)
}

// aligned gets a chunk whose address is a multiple of align: one that is longer by as much, where the driver promises less.
// Origin is where the driver's memory starts.
func aligned(size, align int64, get func(bytes int64) (runtime.Chunk, error)) (runtime.Chunk, error) {
	n := size
	if align > driverAlignment {
		n += align - driverAlignment
	}
	if n < size {
		return runtime.Chunk{}, errors.New("the size is beyond what an address can express")
	}
	c, err := get(n)
	if err != nil {
		return runtime.Chunk{}, err
	}
	skip := -c.Addr & uint64(align-1)
	c.Origin, c.Addr, c.Size = c.Addr, c.Addr+skip, size
	if c.Ptr != nil {
		c.Ptr = unsafe.Add(c.Ptr, int64(skip))
	}
	return c, nil
}

// hostChunk is memory that Go code can address.
func hostChunk(p unsafe.Pointer) runtime.Chunk {
	return runtime.Chunk{Ptr: p, Addr: uint64(uintptr(p))}
}

// origin is where the driver's memory starts.
func origin(c runtime.Chunk) unsafe.Pointer { return unsafe.Add(c.Ptr, -int64(c.Addr-c.Origin)) }
