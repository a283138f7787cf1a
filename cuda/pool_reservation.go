package cuda

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// reservation is a range of addresses of a device, and the physical memory that is mapped to parts of it.
type reservation struct {
	mapped
	base abi.Ptr
	size int64

	// guarded by mapping
	pieces []piece // ascending
	stale  ending  // releases physical memory that is mapped nowhere
}

// mapped is how physical memory comes to addresses.
type mapped struct {
	site
	props abi.MemoryProps
	page  int64 // the most bytes of one handle
	peers []int // devices that may read and write

	mapping *sync.Mutex // held while memory of the pool comes and goes
}

// extent is a part of the reservation, as offsets.
type extent struct{ from, to int64 }

// piece is an extent with memory. It was mapped as a whole and can only be unmapped as a whole, alone or with its neighbours.
type piece struct {
	extent
	memory *physical
	extra  bool // another piece owns the memory
}

// offsets converts addresses to an extent.
func (v *reservation) offsets(addr uint64, size int64) extent {
	from := int64(addr - uint64(v.base))
	return extent{from, from + size}
}

// fill maps memory to all of the rows of pages, or to none.
func (v *reservation) fill(rows []poolimpl.Extent) error {
	list := make([]extent, len(rows))
	for i, x := range rows {
		list[i] = v.offsets(x.Addr, int64(x.Size))
	}
	return v.mapAll(list)
}

// mapAll maps memory to all extents, or to none. Memory that the driver does not unmap after a failure stays mapped for the next call.
func (v *reservation) mapAll(list []extent) error {
	v.mapping.Lock()
	defer v.mapping.Unlock()
	_ = v.stale.run() // what fails here is tried again later, and reported when the pool is closed
	for i, e := range list {
		err := v.mapTo(e)
		if err == nil {
			err = v.allow(v.base+abi.Ptr(e.from), e.to-e.from, v.peers)
		}
		if err == nil {
			continue
		}
		for _, back := range list[:i+1] {
			err = errors.Join(err, v.unmapIn(back))
		}
		return err
	}
	return nil
}

// mapTo maps memory to the parts of an extent that have none. It first unmaps extra pieces there, and remaining ones that reach beyond the extent,
// because they could not be unmapped separately.
func (v *reservation) mapTo(e extent) error {
	for at := e.from; at < e.to; {
		i, mapped := v.find(at)
		if mapped {
			p := v.pieces[i]
			if p.from >= e.from && p.to <= e.to && !p.extra {
				at = p.to
			} else if err := v.unmapIn(p.extent); err != nil {
				return err
			}
			continue
		}
		to := min(e.to, at+v.page)
		if i < len(v.pieces) {
			to = min(to, v.pieces[i].from)
		}
		p := piece{extent: extent{at, to}}
		size := uint64(to - at)
		h, r := v.drv.MemCreate(size, v.props)
		if err := check(r, "MemCreate", v.dev, to-at); err != nil {
			return err
		}
		p.memory = &physical{handle: h}
		if err := check(v.drv.MemMap(v.base+abi.Ptr(at), size, 0, h), "MemMap", v.dev, to-at); err != nil {
			v.release(h)
			return err
		}
		v.pieces = slices.Insert(v.pieces, i, p)
		at = to
	}
	return nil
}

// allow lets devices use mapped memory from an address on.
func (s site) allow(at abi.Ptr, size int64, devices []int) error {
	for _, d := range devices {
		if err := check(s.drv.MemSetAccess(at, uint64(size), d, abi.AccessReadWrite), "MemSetAccess", s.dev, size); err != nil {
			return err
		}
	}
	return nil
}

// unmap unmaps the memory of an extent and releases it. It fails only if the memory is still mapped.
func (v *reservation) unmap(e extent) error {
	v.mapping.Lock()
	defer v.mapping.Unlock()
	return v.unmapIn(e)
}

// unmapIn unmaps the pieces in an extent, adjacent pieces by one call, and releases the memory that they own.
func (v *reservation) unmapIn(e extent) error {
	if err := v.unmapExtras(e); err != nil {
		return err
	}
	for {
		i, _ := v.find(e.from)
		if i == len(v.pieces) || v.pieces[i].from >= e.to {
			return nil
		}
		j := i + 1
		for j < len(v.pieces) && v.pieces[j].from == v.pieces[j-1].to && v.pieces[j].to <= e.to {
			j++
		}
		row := extent{v.pieces[i].from, v.pieces[j-1].to}
		r := v.drv.MemUnmap(v.base+abi.Ptr(row.from), uint64(row.to-row.from))
		if err := check(r, "MemUnmap", v.dev, row.to-row.from); err != nil {
			return err
		}
		for _, p := range v.pieces[i:j] {
			if p.extra {
				p.memory.forget(extra{v, p.extent})
			} else {
				v.release(p.memory.handle)
			}
		}
		v.pieces = slices.Delete(v.pieces, i, j)
	}
}

// find returns the index of the first piece that does not end before an offset, and whether it has the offset.
func (v *reservation) find(at int64) (i int, mapped bool) {
	i, _ = slices.BinarySearchFunc(v.pieces, at, func(p piece, at int64) int { return cmp.Compare(p.to, at+1) })
	return i, i < len(v.pieces) && v.pieces[i].from <= at
}

// covering lists the pieces that an extent lies in.
func (v *reservation) covering(e extent) []piece {
	v.mapping.Lock()
	defer v.mapping.Unlock()
	from, _ := v.find(e.from)
	to, mapped := v.find(e.to - 1)
	if mapped {
		to++
	}
	return slices.Clone(v.pieces[from:to])
}

// holds reports whether memory is mapped to a part of an extent.
func (v *reservation) holds(e extent) bool {
	v.mapping.Lock()
	defer v.mapping.Unlock()
	i, _ := v.find(e.from)
	return i < len(v.pieces) && v.pieces[i].from < e.to
}

// release releases physical memory, now or later.
func (v *reservation) release(h abi.Memory) {
	step := ending{[]func() error{func() error { return check(v.drv.MemRelease(h), "MemRelease", v.dev, 0) }}}
	if step.run() != nil {
		v.stale.steps = append(v.stale.steps, step.run)
	}
}

// clear releases the memory that remains: none, unless the driver refused to release it before.
func (v *reservation) clear() error {
	v.mapping.Lock()
	defer v.mapping.Unlock()
	return errors.Join(v.unmapIn(extent{0, v.size}), v.stale.run())
}

// end releases the memory that remains, and frees the addresses.
func (v *reservation) end() error {
	if err := v.clear(); err != nil {
		return err
	}
	return check(v.drv.MemAddressFree(v.base, uint64(v.size)), "MemAddressFree", v.dev, v.size)
}
