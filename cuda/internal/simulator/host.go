package simulator

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// addressOf returns the address of host memory as a device sees it: the same.
func addressOf(p unsafe.Pointer) abi.Ptr { return abi.Ptr(uintptr(p)) }

// newHostSpan makes memory that both the program and the devices use.
func (d *Driver) newHostSpan(k Kind, c *context, bytes uint64) (unsafe.Pointer, abi.Result) {
	if bytes == 0 {
		return nil, abi.InvalidValue
	}
	if bytes >= 1<<47 {
		return nil, abi.OutOfMemory
	}
	memory := newHostMemory(bytes)
	if memory == nil {
		return nil, abi.OutOfMemory
	}
	p := unsafe.Pointer(&memory[0])
	d.place(&span{base: addressOf(p), size: bytes, kind: k, store: d.hostStore(memory), dev: c.dev, ctx: c})
	d.born(k, uint64(addressOf(p)), bytes)
	return p, abi.Success
}

// releaseHost frees all host memory.
func (d *Driver) releaseHost() {
	for _, s := range d.spans {
		if s.kind == KindHost || s.kind == KindManaged {
			dropHostMemory(s.store.host)
		}
	}
	for _, p := range d.all {
		if p.dev == nil {
			for _, s := range p.slabs {
				dropHostMemory(s.store.host)
			}
		}
		p.releaseShared()
	}
	for _, m := range d.memories {
		m.releaseShared()
	}
}

// hostPieces returns host memory as pieces. It does not check memory that the simulator did not allocate.
func (d *Driver) hostPieces(p unsafe.Pointer, bytes uint64) ([]piece, abi.Result) {
	if bytes == 0 {
		return nil, abi.Success
	}
	if p == nil {
		return nil, abi.InvalidValue
	}
	if d.at(addressOf(p)) != nil {
		return d.resolve(addressOf(p), bytes)
	}
	memory := unsafe.Slice((*byte)(p), bytes)
	return []piece{{span: &span{store: &store{size: bytes, host: memory}}, n: bytes}}, abi.Success
}

// MemAllocManaged returns memory that the program and all devices see at one address. It takes nothing of a device's capacity.
func (d *Driver) MemAllocManaged(ctx abi.Context, bytes uint64, flags uint32) (unsafe.Pointer, abi.Result) {
	c, r := d.beginIn("cuMemAllocManaged", ctx)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return nil, r
	case c.dev.attributes[abi.AttributeManagedMemory] == 0:
		return nil, abi.NotSupported
	case flags != abi.ManagedGlobal && flags != abi.ManagedHost:
		return nil, abi.InvalidValue
	}
	return d.newHostSpan(KindManaged, c, bytes)
}

// MemHostAlloc returns memory of the host that devices see at the same address.
func (d *Driver) MemHostAlloc(ctx abi.Context, bytes uint64, flags uint32) (unsafe.Pointer, abi.Result) {
	c, r := d.beginIn("cuMemHostAlloc", ctx)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return nil, r
	case flags > abi.HostPortable|abi.HostDeviceMap|abi.HostWriteCombined:
		return nil, abi.InvalidValue
	}
	return d.newHostSpan(KindHost, c, bytes)
}

// MemFreeHost frees memory of MemHostAlloc once the context is idle.
func (d *Driver) MemFreeHost(ctx abi.Context, p unsafe.Pointer) abi.Result {
	c, r := d.beginIn("cuMemFreeHost", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	s := d.starting(addressOf(p))
	if s == nil || s.kind != KindHost {
		d.badRelease("cuMemFreeHost", uint64(uintptr(p)))
		return abi.InvalidValue
	}
	d.drainContext(c)
	d.freeSpan(s)
	return c.fault
}

// MemHostGetDevicePointer returns the address of host memory on a device.
func (d *Driver) MemHostGetDevicePointer(ctx abi.Context, p unsafe.Pointer) (abi.Ptr, abi.Result) {
	_, r := d.beginIn("cuMemHostGetDevicePointer", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if s := d.at(addressOf(p)); s == nil || s.store.host == nil {
		return 0, abi.InvalidValue
	}
	return addressOf(p), abi.Success
}
