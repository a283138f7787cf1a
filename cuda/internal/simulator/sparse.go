package simulator

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// sparse is the sparse textures.
type sparse struct {
	arrays  map[abi.Array]*array
	mipmaps map[abi.Mipmap]*texture
}

func newSparse() sparse {
	return sparse{arrays: map[abi.Array]*array{}, mipmaps: map[abi.Mipmap]*texture{}}
}

// texture is a sparse array with one level or more, and what its tiles are bound to.
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

// newTexture makes a texture that is bound to nothing.
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

// ArrayDestroy takes an array away; the memory of its tiles stays.
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
	a.unbind()
	delete(d.arrays, h)
	d.died(KindArray, uint64(h))
	return abi.Success
}

// unbind ends the use of the memory of all tiles.
func (t *texture) unbind() {
	for at := range t.bound {
		t.bind(at, binding{})
	}
}

// bind gives a tile other memory, or none.
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

// MipmappedArrayDestroy takes a texture and its levels away; the memory of its tiles stays.
func (d *Driver) MipmappedArrayDestroy(ctx abi.Context, h abi.Mipmap) abi.Result {
	t, r := d.beginMipmap("cuMipmappedArrayDestroy", ctx, h)
	defer d.mu.Unlock()
	if r == abi.InvalidHandle {
		d.badRelease("cuMipmappedArrayDestroy", uint64(h))
	}
	if r != abi.Success {
		return r
	}
	t.unbind()
	for _, level := range t.levels {
		delete(d.arrays, level)
	}
	delete(d.mipmaps, h)
	d.died(KindMipmap, uint64(h))
	return abi.Success
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

// MipmappedArrayGetLevel returns a level as an array, which goes with the texture.
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

// MemcpyToArray copies rows to layer and slice 0 of an array, after the legacy default stream has come to it. What falls on tiles without memory is lost.
func (d *Driver) MemcpyToArray(ctx abi.Context, h abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) abi.Result {
	return d.copyArray(ctx, h, x, y, widthBytes, height, src, pitch, func(host piece, tile []piece) abi.Result {
		if tile == nil {
			return abi.Success
		}
		return move(tile, []piece{host})
	})
}

// MemcpyFromArray copies rows from an array. Tiles without memory read as 0.
func (d *Driver) MemcpyFromArray(ctx abi.Context, dst unsafe.Pointer, pitch uint64, h abi.Array, x, y, widthBytes, height uint64) abi.Result {
	return d.copyArray(ctx, h, x, y, widthBytes, height, dst, pitch, func(host piece, tile []piece) abi.Result {
		if tile == nil {
			host.span.store.set(host.off, host.n, 0)
			return abi.Success
		}
		return move([]piece{host}, tile)
	})
}

// copyArray calls copy for each run of texels that lies in one row of one tile.
func (d *Driver) copyArray(ctx abi.Context, h abi.Array, x, y, widthBytes, height uint64, host unsafe.Pointer, pitch uint64, each func(host piece, tile []piece) abi.Result) abi.Result {
	a, r := d.beginArray("cuMemcpy2D", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success || widthBytes == 0 || height == 0 {
		return r
	}
	size := a.layout.levels[a.level].size
	if pitch < widthBytes || x%a.texel != 0 || widthBytes%a.texel != 0 || x+widthBytes > size[0]*a.texel || y+height > size[1] {
		return abi.InvalidValue
	}
	memory, r := d.hostPieces(host, (height-1)*pitch+widthBytes)
	if r != abi.Success {
		return r
	}
	d.wait(a.ctx.legacy)
	for row := range height {
		for done := uint64(0); done < widthBytes; {
			at, in := a.locate(a.level, 0, (x+done)/a.texel, y+row, 0)
			n := min(widthBytes-done, a.run((x+done)/a.texel, in, a.layout.levels[a.level].tail))
			part := piece{memory[0].span, memory[0].off + row*pitch + done, n}
			if r := each(part, a.bound[at].piece(in, n)); r != abi.Success {
				return r
			}
			done += n
		}
	}
	return a.ctx.fault
}

// run returns how many bytes of a row lie in a tile from a texel on.
func (a *array) run(x, in uint64, tail bool) uint64 {
	if tail {
		return tileBytes - in
	}
	return (a.tile[0] - x%a.tile[0]) * a.texel
}

// piece returns memory of a tile, nil if it has none.
func (b binding) piece(in, n uint64) []piece {
	if b.memory == nil {
		return nil
	}
	return []piece{{&span{store: b.memory.store}, b.offset + in, n}}
}
