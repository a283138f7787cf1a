package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// sparse is the state of sparse textures.
type sparse struct {
	arrays  map[abi.Array]*array
	mipmaps map[abi.Mipmap]*texture
}

func newSparse() sparse {
	return sparse{arrays: map[abi.Array]*array{}, mipmaps: map[abi.Mipmap]*texture{}}
}

// texture is a sparse array with one level or more, and the bindings of its tiles.
type texture struct {
	*layout
	ctx    *context
	bound  map[spot]binding
	levels map[uint32]abi.Array // handles given out
}

// binding is the memory of a tile.
type binding struct {
	memory *memory
	offset uint64
}

// array is a texture of one level, or one level of a texture.
type array struct {
	*texture
	level uint32
	part  bool // a level: it goes with its texture
}

// newTexture makes a texture without bindings.
func (d *Driver) newTexture(c *context, desc abi.ArrayDesc, levels uint32) (*texture, abi.Result) {
	if c.dev.attributes[abi.AttributeSparseArray] == 0 {
		return nil, abi.NotSupported
	}
	l, ok := newLayout(desc, levels)
	if !ok {
		return nil, abi.InvalidValue
	}
	return &texture{layout: l, ctx: c, bound: map[spot]binding{}, levels: map[uint32]abi.Array{}}, abi.Success
}

// ArrayCreateSparse makes an array whose tiles have no memory.
func (d *Driver) ArrayCreateSparse(ctx abi.Context, desc abi.ArrayDesc) (abi.Array, abi.Result) {
	c, r := d.beginIn("cuArray3DCreate", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	t, r := d.newTexture(c, desc, 1)
	if r != abi.Success {
		return 0, r
	}
	h := abi.Array(d.handle(KindArray))
	d.arrays[h] = &array{texture: t}
	d.born(KindArray, uint64(h), 0)
	return h, abi.Success
}

// ArrayDestroy destroys an array; the memory of its tiles remains.
func (d *Driver) ArrayDestroy(ctx abi.Context, h abi.Array) abi.Result {
	a, r := d.beginArray("cuArrayDestroy", ctx, h)
	defer d.mu.Unlock()
	if r == abi.InvalidHandle {
		d.badRelease("cuArrayDestroy", uint64(h))
	}
	if r != abi.Success {
		return r
	}
	if a.part {
		return abi.InvalidHandle
	}
	d.dropArray(h, a)
	return abi.Success
}

func (d *Driver) dropArray(h abi.Array, a *array) {
	a.unbind()
	delete(d.arrays, h)
	d.died(KindArray, uint64(h))
}

// unbind ends the use of the memory of all tiles.
func (t *texture) unbind() {
	for at := range t.bound {
		t.bind(at, binding{})
	}
}

// bind binds a tile to other memory, or to none.
func (t *texture) bind(at spot, to binding) {
	if old := t.bound[at]; old.memory != nil {
		old.memory.leave()
	}
	delete(t.bound, at)
	if to.memory != nil {
		to.memory.users++
		t.bound[at] = to
	}
}

// beginArray is begin for a function of an array.
func (d *Driver) beginArray(function string, ctx abi.Context, h abi.Array) (*array, abi.Result) {
	c, r := d.beginIn(function, ctx)
	if r != abi.Success {
		return nil, r
	}
	a := d.arrays[h]
	if a == nil || a.ctx != c {
		return nil, abi.InvalidHandle
	}
	return a, abi.Success
}

// beginMipmap is begin for a function of a mipmapped array.
func (d *Driver) beginMipmap(function string, ctx abi.Context, h abi.Mipmap) (*texture, abi.Result) {
	c, r := d.beginIn(function, ctx)
	if r != abi.Success {
		return nil, r
	}
	t := d.mipmaps[h]
	if t == nil || t.ctx != c {
		return nil, abi.InvalidHandle
	}
	return t, abi.Success
}

// ArrayGetSparseProperties returns the shape of the tiles.
func (d *Driver) ArrayGetSparseProperties(ctx abi.Context, h abi.Array) (abi.SparseProps, abi.Result) {
	a, r := d.beginArray("cuArrayGetSparseProperties", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return abi.SparseProps{}, r
	}
	return a.properties(), abi.Success
}

// MipmappedArrayCreateSparse makes a texture with levels whose tiles have no memory.
func (d *Driver) MipmappedArrayCreateSparse(ctx abi.Context, desc abi.ArrayDesc, levels uint32) (abi.Mipmap, abi.Result) {
	c, r := d.beginIn("cuMipmappedArrayCreate", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	t, r := d.newTexture(c, desc, levels)
	if r != abi.Success {
		return 0, r
	}
	h := abi.Mipmap(d.handle(KindMipmap))
	d.mipmaps[h] = t
	d.born(KindMipmap, uint64(h), 0)
	return h, abi.Success
}

// MipmappedArrayDestroy destroys a texture and its levels; the memory of its tiles remains.
func (d *Driver) MipmappedArrayDestroy(ctx abi.Context, h abi.Mipmap) abi.Result {
	t, r := d.beginMipmap("cuMipmappedArrayDestroy", ctx, h)
	defer d.mu.Unlock()
	if r == abi.InvalidHandle {
		d.badRelease("cuMipmappedArrayDestroy", uint64(h))
	}
	if r != abi.Success {
		return r
	}
	d.dropMipmap(h, t)
	return abi.Success
}

func (d *Driver) dropMipmap(h abi.Mipmap, t *texture) {
	t.unbind()
	for _, level := range t.levels {
		delete(d.arrays, level)
	}
	delete(d.mipmaps, h)
	d.died(KindMipmap, uint64(h))
}

// MipmappedArrayGetSparseProperties returns the shape of the tiles and where the tail starts.
func (d *Driver) MipmappedArrayGetSparseProperties(ctx abi.Context, h abi.Mipmap) (abi.SparseProps, abi.Result) {
	t, r := d.beginMipmap("cuMipmappedArrayGetSparseProperties", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return abi.SparseProps{}, r
	}
	return t.properties(), abi.Success
}

// MipmappedArrayGetLevel returns a level as an array, which ends with the texture.
func (d *Driver) MipmappedArrayGetLevel(ctx abi.Context, h abi.Mipmap, n uint32) (abi.Array, abi.Result) {
	t, r := d.beginMipmap("cuMipmappedArrayGetLevel", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return 0, r
	case int(n) >= len(t.layout.levels):
		return 0, abi.InvalidValue
	}
	if t.levels[n] == 0 {
		t.levels[n] = abi.Array(d.handle(KindArray))
		d.arrays[t.levels[n]] = &array{texture: t, level: n, part: true}
	}
	return t.levels[n], abi.Success
}
