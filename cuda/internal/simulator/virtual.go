package simulator

import (
	"math/bits"
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// virtual is the state of reserved addresses and of physical memory.
type virtual struct {
	reservations map[abi.Ptr]uint64 // size by start
	reserved     uint64             // bytes of all of them
	memories     map[abi.Memory]*memory
}

func newVirtual() virtual {
	return virtual{reservations: map[abi.Ptr]uint64{}, memories: map[abi.Memory]*memory{}}
}

// memory is physical memory. It stays as long as its handle or a mapping does.
type memory struct {
	dev      *device // nil: memory of the host
	store    *store
	size     uint64
	tiles    bool
	users    int  // the handle and the mappings
	borrowed bool // imported: the capacity is the exporter's
	shared   *shared
}

func (m *memory) releaseShared() {
	if m.shared != nil {
		m.shared.close()
		m.shared = nil
	}
}

// leave ends the use of the memory by a handle or a mapping.
func (m *memory) leave() {
	m.users--
	if m.users > 0 {
		return
	}
	if m.dev != nil && !m.borrowed {
		m.dev.used -= m.size
	}
	m.releaseShared()
}

// beginVirtual is begin for a function that needs virtual memory management; the first device decides for all.
func (d *Driver) beginVirtual(function string) abi.Result {
	r := d.begin(function)
	if r == abi.Success && (len(d.devices) == 0 || d.devices[0].attributes[abi.AttributeVirtualMemoryManagement] == 0) {
		return abi.NotSupported
	}
	return r
}

// whole reports whether sizes are multiples of the granularity, and not 0.
func (d *Driver) whole(sizes ...uint64) bool {
	return !slices.ContainsFunc(sizes, func(n uint64) bool { return n == 0 || n%d.cfg.Granularity != 0 })
}

// MemAddressReserve returns addresses without memory.
func (d *Driver) MemAddressReserve(bytes, align uint64) (abi.Ptr, abi.Result) {
	r := d.beginVirtual("cuMemAddressReserve")
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return 0, r
	case !d.whole(bytes), align != 0 && bits.OnesCount64(align) != 1, align > 1<<40:
		return 0, abi.InvalidValue
	case d.reserved > d.cfg.AddressSpace || bytes > d.cfg.AddressSpace-d.reserved:
		return 0, abi.OutOfMemory
	}
	p := d.assign(bytes, max(align, d.cfg.Granularity))
	d.reservations[p] = bytes
	d.reserved += bytes
	d.born(KindRange, uint64(p), bytes)
	return p, abi.Success
}

// MemAddressFree frees a whole reservation, in which nothing is mapped.
func (d *Driver) MemAddressFree(p abi.Ptr, bytes uint64) abi.Result {
	r := d.beginVirtual("cuMemAddressFree")
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	size, ok := d.reservations[p]
	if !ok {
		d.badRelease("cuMemAddressFree", uint64(p))
		return abi.InvalidValue
	}
	if size != bytes || len(d.mappings(p, bytes)) > 0 {
		return abi.InvalidValue
	}
	delete(d.reservations, p)
	d.reserved -= bytes
	delete(d.live[KindRange], uint64(p))
	d.recycle(p, bytes)
	return abi.Success
}

// MemGetAllocationGranularity returns the unit of sizes.
func (d *Driver) MemGetAllocationGranularity(abi.MemoryProps, bool) (uint64, abi.Result) {
	r := d.beginVirtual("cuMemGetAllocationGranularity")
	defer d.mu.Unlock()
	return d.cfg.Granularity, r
}

// MemCreate allocates physical memory.
func (d *Driver) MemCreate(bytes uint64, props abi.MemoryProps) (abi.Memory, abi.Result) {
	r := d.beginVirtual("cuMemCreate")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	m := &memory{size: bytes, tiles: props.TilePool, users: 1}
	if props.Location == abi.LocationDevice {
		if m.dev, r = d.device(int(props.ID)); r != abi.Success {
			return 0, r
		}
	}
	switch {
	case !d.whole(bytes), props.Location < abi.LocationDevice || props.Location > abi.LocationHostNUMA:
		return 0, abi.InvalidValue
	case props.Handles != abi.HandleNone && (m.dev == nil || props.Handles != abi.HandleFD ||
		m.dev.attributes[abi.AttributeHandleTypePosixFD] == 0),
		props.RDMA && (m.dev == nil || m.dev.attributes[abi.AttributeVirtualMemoryRDMA] == 0):
		return 0, abi.NotSupported
	case m.dev != nil && !m.dev.reserve(bytes):
		return 0, abi.OutOfMemory
	}
	if props.Handles == abi.HandleFD {
		if m.shared = newShared("memory", int(props.ID), bytes); m.shared == nil {
			m.dev.used -= bytes
			return 0, abi.OutOfMemory
		}
	}
	return d.adopt(m)
}

// adopt gives physical memory a store and a handle.
func (d *Driver) adopt(m *memory) (abi.Memory, abi.Result) {
	m.store = d.newStore(m.size)
	if m.shared != nil {
		view, _ := m.shared.view(0, m.size)
		if view == nil {
			m.leave()
			return 0, abi.OutOfMemory
		}
		m.store = d.hostStore(view)
	}
	h := abi.Memory(d.handle(KindHandle))
	d.memories[h] = m
	d.born(KindHandle, uint64(h), m.size)
	return h, abi.Success
}

// MemRelease releases a handle. The memory stays while it is mapped.
func (d *Driver) MemRelease(h abi.Memory) abi.Result {
	r := d.beginVirtual("cuMemRelease")
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	m := d.memories[h]
	if m == nil {
		d.badRelease("cuMemRelease", uint64(h))
		return abi.InvalidValue
	}
	delete(d.memories, h)
	d.died(KindHandle, uint64(h))
	m.leave()
	return abi.Success
}

// MemExportFD returns a file descriptor for memory made with HandleFD.
func (d *Driver) MemExportFD(h abi.Memory) (int, abi.Result) {
	r := d.beginVirtual("cuMemExportToShareableHandle")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	m := d.memories[h]
	if m == nil || m.shared == nil {
		return 0, abi.InvalidValue
	}
	return m.shared.export()
}

// MemImportFD returns a handle of the memory that a file descriptor refers to.
func (d *Driver) MemImportFD(fd int) (abi.Memory, abi.Result) {
	r := d.beginVirtual("cuMemImportFromShareableHandle")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	file, device := openShared("memory", fd)
	dev, r := d.device(device)
	if file == nil || r != abi.Success {
		return 0, abi.InvalidValue
	}
	for h, m := range d.memories {
		if m.shared != nil && m.shared.identity() == file.identity() {
			file.close()
			m.users++
			again := abi.Memory(d.handle(KindHandle))
			d.memories[again] = d.memories[h]
			d.born(KindHandle, uint64(again), m.size)
			return again, abi.Success
		}
	}
	return d.adopt(&memory{dev: dev, size: file.size, users: 1, borrowed: true, shared: file})
}
