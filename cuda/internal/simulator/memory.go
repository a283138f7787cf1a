package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// memoryUnit is the unit in bytes of the sizes and addresses of allocations.
const memoryUnit = 512

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }

// MemGetInfo returns the free memory of a context's device, and its capacity.
func (d *Driver) MemGetInfo(ctx abi.Context) (free, total uint64, r abi.Result) {
	c, r := d.beginIn("cuMemGetInfo", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, 0, r
	}
	return c.dev.capacity - c.dev.used, c.dev.capacity, abi.Success
}

// MemAlloc returns device memory, full of the fill byte.
func (d *Driver) MemAlloc(ctx abi.Context, bytes uint64) (abi.Ptr, abi.Result) {
	c, r := d.beginIn("cuMemAlloc", ctx)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return 0, r
	case bytes == 0:
		return 0, abi.InvalidValue
	case bytes > c.dev.capacity || !c.dev.reserve(roundUp(bytes, memoryUnit)):
		return 0, abi.OutOfMemory
	}
	p := d.assign(bytes, memoryUnit)
	d.place(&span{base: p, size: bytes, kind: KindMemory, store: d.newStore(bytes), dev: c.dev, ctx: c})
	d.born(KindMemory, uint64(p), bytes)
	return p, abi.Success
}

// MemFree frees memory of MemAlloc and MemAllocManaged once the context is idle. Memory of a pool is freed at once, even if work is queued. Freeing 0 has
// no effect.
func (d *Driver) MemFree(ctx abi.Context, p abi.Ptr) abi.Result {
	c, r := d.beginIn("cuMemFree", ctx)
	defer d.mu.Unlock()
	if r != abi.Success || p == 0 {
		return r
	}
	s := d.starting(p)
	switch {
	case s == nil:
		d.badRelease("cuMemFree", uint64(p))
		return abi.InvalidValue
	case s.kind == KindBlock:
		d.freeBlock(s, nil)
		d.end(s)
		return abi.Success
	case s.kind != KindMemory && s.kind != KindManaged, s.ctx != c:
		return abi.InvalidValue
	}
	d.drainContext(c)
	d.freeSpan(s)
	return c.fault
}

// freeSpan frees the memory of an allocation.
func (d *Driver) freeSpan(s *span) {
	d.remove(s)
	s.gone = true
	d.checker.Forget(s.store.id)
	delete(d.live[s.kind], uint64(s.base))
	switch s.kind {
	case KindMemory:
		s.dev.used -= roundUp(s.size, memoryUnit)
		d.recycle(s.base, s.size)
	case KindHost, KindManaged:
		dropHostMemory(s.store.host)
	}
}

// recycle makes addresses available again, if that is configured.
func (d *Driver) recycle(p abi.Ptr, bytes uint64) {
	if !d.cfg.Recycle {
		return
	}
	if d.holes == nil {
		d.holes = map[uint64][]abi.Ptr{}
	}
	d.holes[bytes] = append(d.holes[bytes], p)
}

// spansOf returns the allocations of a context.
func (d *Driver) spansOf(c *context) []*span {
	var of []*span
	for _, s := range d.spans {
		if s.ctx == c {
			of = append(of, s)
		}
	}
	return of
}

// PointerGetDevice returns the device that an address belongs to.
func (d *Driver) PointerGetDevice(p abi.Ptr) (int, abi.Result) {
	r := d.begin("cuPointerGetAttribute")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	s := d.at(p)
	if s == nil || s.dev == nil {
		return 0, abi.InvalidValue
	}
	return s.dev.ordinal, abi.Success
}
