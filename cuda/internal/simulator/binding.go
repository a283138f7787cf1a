package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// MemMapArrayAsync binds tiles to memory made for tiles, or removes the binding, when the stream reaches the call. All of it is
// checked before anything is queued.
func (d *Driver) MemMapArrayAsync(ctx abi.Context, maps []abi.ArrayMap, h abi.Stream) abi.Result {
	s, r := d.beginStream("cuMemMapArrayAsync", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if s.ctx.dev.attributes[abi.AttributeSparseArray] == 0 {
		return abi.NotSupported
	}
	if s.capture != nil {
		return abi.StreamCaptureUnsupported
	}
	var changes []change
	for _, m := range maps {
		more, r := d.changes(m)
		if r != abi.Success {
			return r
		}
		changes = append(changes, more...)
	}
	for _, c := range changes {
		if c.to.memory != nil {
			c.to.memory.users++ // until it is bound, so that releasing the handle does no harm
		}
	}
	r = d.submit(s, work{what: "cuMemMapArrayAsync", run: func() abi.Result {
		for _, c := range changes {
			c.of.bind(c.at, c.to)
		}
		letGo(changes)
		return abi.Success
	}})
	if r != abi.Success {
		letGo(changes)
	}
	return r
}

// letGo ends the use of memory by changes that are done or abandoned.
func letGo(changes []change) {
	for _, c := range changes {
		if c.to.memory != nil {
			c.to.memory.leave()
		}
	}
}

// change is a new binding of a tile.
type change struct {
	of *texture
	at spot
	to binding
}

// changes checks one request: tiles in order take consecutive tiles of the memory.
func (d *Driver) changes(m abi.ArrayMap) ([]change, abi.Result) {
	t := d.mipmaps[m.Mipmap]
	if a := d.arrays[m.Array]; a != nil && m.Mipmap == 0 {
		t = a.texture
		if a.part {
			m.Level = a.level
		}
	}
	if t == nil {
		return nil, abi.InvalidHandle
	}
	spots, ok := t.region(m)
	if !ok {
		return nil, abi.InvalidValue
	}
	if m.DeviceMask != 1<<t.ctx.dev.ordinal {
		return nil, abi.InvalidValue
	}
	var to binding
	if !m.Unmap {
		to = binding{d.memories[m.Memory], m.Offset}
		if to.memory == nil {
			return nil, abi.InvalidHandle
		}
		if size := to.memory.size; !to.memory.tiles || m.Offset%tileBytes != 0 || m.Offset > size || uint64(len(spots))*tileBytes > size-m.Offset {
			return nil, abi.InvalidValue
		}
	}
	var changes []change
	for _, at := range spots {
		changes = append(changes, change{t, at, to})
		to.offset += tileBytes
	}
	return changes, abi.Success
}
