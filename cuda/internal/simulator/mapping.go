package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// mappings returns the mappings that overlap a range.
func (d *Driver) mappings(p abi.Ptr, bytes uint64) []*span {
	var found []*span
	for i := d.find(p); i < len(d.spans) && d.spans[i].base < p+abi.Ptr(bytes); i++ {
		found = append(found, d.spans[i])
	}
	return found
}

// exactly returns the mappings that make up a range, or nil if the range has gaps or splits a mapping.
func (d *Driver) exactly(p abi.Ptr, bytes uint64) []*span {
	found := d.mappings(p, bytes)
	end := p + abi.Ptr(bytes)
	for _, s := range found {
		if s.kind != KindMapping || s.base != p {
			return nil
		}
		p += abi.Ptr(s.size)
	}
	if p != end {
		return nil
	}
	return found
}

// MemMap maps memory to reserved addresses, from its start: offset must be 0, as in the driver. No device has access until MemSetAccess.
func (d *Driver) MemMap(at abi.Ptr, bytes, offset uint64, h abi.Memory) abi.Result {
	r := d.beginVirtual("cuMemMap")
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	m := d.memories[h]
	inside := false
	for base, size := range d.reservations {
		inside = inside || base <= at && bytes <= size && uint64(at-base) <= size-bytes
	}
	if m == nil || offset != 0 || !d.whole(bytes) || bytes > m.size || uint64(at)%d.cfg.Granularity != 0 || !inside || len(d.mappings(at, bytes)) > 0 {
		return abi.InvalidValue
	}
	m.users++
	d.place(&span{base: at, size: bytes, kind: KindMapping, store: m.store, dev: m.dev, memory: m, access: map[int]int32{}})
	d.born(KindMapping, uint64(at), bytes)
	return abi.Success
}

// MemUnmap unmaps whole mappings. Like the driver it does not wait: queued work that uses them fails.
func (d *Driver) MemUnmap(at abi.Ptr, bytes uint64) abi.Result {
	r := d.beginVirtual("cuMemUnmap")
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	found := d.exactly(at, bytes)
	if len(found) == 0 {
		d.badRelease("cuMemUnmap", uint64(at))
		return abi.InvalidValue
	}
	for _, s := range found {
		d.remove(s)
		s.gone = true
		delete(d.live[KindMapping], uint64(s.base))
		s.memory.leave()
	}
	return abi.Success
}

// MemSetAccess sets the access rights of a device to whole mappings.
func (d *Driver) MemSetAccess(at abi.Ptr, bytes uint64, dev int, access int32) abi.Result {
	r := d.beginVirtual("cuMemSetAccess")
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if _, r := d.device(dev); r != abi.Success {
		return r
	}
	found := d.exactly(at, bytes)
	if len(found) == 0 || access != abi.AccessNone && access != abi.AccessRead && access != abi.AccessReadWrite {
		return abi.InvalidValue
	}
	for _, s := range found {
		if s.dev != nil && s.dev.ordinal != dev && !d.peers(dev, s.dev.ordinal) {
			return abi.PeerAccessUnsupported
		}
	}
	for _, s := range found {
		s.access[dev] = access
	}
	return abi.Success
}
