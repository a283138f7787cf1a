package simulator

import (
	"encoding/binary"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

func pointerTo(memory []byte) unsafe.Pointer { return unsafe.Pointer(&memory[0]) }

// releaseShared closes the file of a pool that can be shared.
func (p *pool) releaseShared() {
	if p.shared != nil {
		p.shared.close()
		p.shared = nil
	}
}

// MemPoolExportFD returns a file descriptor for a pool made with HandleFD, which is also valid in another process.
func (d *Driver) MemPoolExportFD(h abi.Pool) (int, abi.Result) {
	p, r := d.beginPool("cuMemPoolExportToShareableHandle", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if p.shared == nil || p.imported {
		return 0, abi.InvalidValue
	}
	p.exported = true
	return p.shared.export()
}

// MemPoolImportFD returns a pool for a file descriptor. The pool cannot allocate: MemPoolImportPointer opens memory of the other process.
func (d *Driver) MemPoolImportFD(fd int) (abi.Pool, abi.Result) {
	r := d.begin("cuMemPoolImportFromShareableHandle")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	file, device := openShared("pool", fd)
	dev, r := d.device(device)
	if file == nil || r != abi.Success {
		return 0, abi.InvalidValue
	}
	p := d.newPool(abi.Pool(d.handle(KindPool)), dev, abi.PoolProps{Location: abi.LocationDevice, ID: int32(device)})
	p.imported, p.shared = true, file
	d.born(KindPool, uint64(p.handle), 0)
	return p.handle, abi.Success
}

// MemPoolExportPointer returns the description of memory of a pool for another process. Like the driver it fails unless the pool was exported before.
func (d *Driver) MemPoolExportPointer(p abi.Ptr) ([64]byte, abi.Result) {
	r := d.begin("cuMemPoolExportPointer")
	defer d.mu.Unlock()
	var data [64]byte
	if r != abi.Success {
		return data, r
	}
	s := d.starting(p)
	if s == nil || s.block == nil || s.pool.shared == nil || !s.pool.exported {
		return data, abi.InvalidValue
	}
	for i, n := range []uint64{s.pool.shared.identity(), s.block.slab.offset + s.block.off, s.size} {
		binary.LittleEndian.PutUint64(data[8*i:], n)
	}
	return data, abi.Success
}

// MemPoolImportPointer opens memory of an imported pool and returns its address in this process. It must be freed here before it
// is freed in the exporting process.
func (d *Driver) MemPoolImportPointer(h abi.Pool, data [64]byte) (abi.Ptr, abi.Result) {
	p, r := d.beginPool("cuMemPoolImportPointer", h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	if !p.imported || p.shared.identity() != number(0) || !p.shared.has(number(1), number(2)) {
		return 0, abi.InvalidValue
	}
	s := &span{size: number(2), kind: KindBlock, dev: p.dev, pool: p}
	if s.store, s.offset = d.window(p.shared, number(1), s.size); s.store == nil {
		return 0, abi.OutOfMemory
	}
	s.base = d.assign(s.size, memoryUnit)
	d.place(s)
	p.count(0, s.size)
	d.born(KindBlock, uint64(s.base), s.size)
	return s.base, abi.Success
}

// window returns the store of a part of shared memory: that of the pool itself if it is of this simulator.
func (d *Driver) window(file *shared, offset, bytes uint64) (*store, uint64) {
	for _, p := range d.all {
		if p.shared == nil || p.imported || p.shared.identity() != file.identity() {
			continue
		}
		for _, s := range p.slabs {
			if s.offset <= offset && offset+bytes <= s.offset+s.size {
				return s.store, offset - s.offset
			}
		}
	}
	memory, in := file.view(offset, bytes)
	if memory == nil {
		return nil, 0
	}
	return d.hostStore(memory), in
}
