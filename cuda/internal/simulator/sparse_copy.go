package simulator

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MemcpyToArray copies rows to layer and slice 0 of an array, once the legacy default stream is idle; x is in bytes, y in rows. Writes to
// tiles without memory are lost.
func (d *Driver) MemcpyToArray(ctx abi.Context, h abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) abi.Result {
	return d.copyArray(ctx, h, rectangle{x, y, widthBytes, height, src, pitch, false})
}

// MemcpyFromArray copies rows from layer and slice 0 of an array, as MemcpyToArray. Tiles without memory read as 0.
func (d *Driver) MemcpyFromArray(ctx abi.Context, dst unsafe.Pointer, pitch uint64, h abi.Array, x, y, widthBytes, height uint64) abi.Result {
	return d.copyArray(ctx, h, rectangle{x, y, widthBytes, height, dst, pitch, true})
}

// MemcpyToArrayAsync queues a copy as by MemcpyToArray. The memory of the tiles is looked up when the operation runs.
func (d *Driver) MemcpyToArrayAsync(ctx abi.Context, h abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64, s abi.Stream) abi.Result {
	return d.copyArrayOn(ctx, h, rectangle{x, y, widthBytes, height, src, pitch, false}, s)
}

// MemcpyFromArrayAsync queues a copy as by MemcpyFromArray.
func (d *Driver) MemcpyFromArrayAsync(ctx abi.Context, dst unsafe.Pointer, pitch uint64, h abi.Array, x, y, widthBytes, height uint64, s abi.Stream) abi.Result {
	return d.copyArrayOn(ctx, h, rectangle{x, y, widthBytes, height, dst, pitch, true}, s)
}

// rectangle is a part of an array and the memory of the host that it is copied from, or to.
type rectangle struct {
	x, y, widthBytes, height uint64
	host                     unsafe.Pointer
	pitch                    uint64
	out                      bool // from the array to the host
}

func (r rectangle) empty() bool { return r.widthBytes == 0 || r.height == 0 }

// copyArray copies at once.
func (d *Driver) copyArray(ctx abi.Context, h abi.Array, r rectangle) abi.Result {
	a, result := d.beginArray("cuMemcpy2D", ctx, h)
	defer d.mu.Unlock()
	if result != abi.Success || r.empty() {
		return result
	}
	memory, result := d.rows(a, r)
	if result != abi.Success {
		return result
	}
	if result := d.implicit(a.ctx.legacy); result != abi.Success {
		return result
	}
	d.wait(a.ctx.legacy)
	if result := a.copy(r, memory[0]); result != abi.Success {
		return result
	}
	return a.ctx.fault
}

// copyArrayOn queues a copy. The checker sees only the memory of the host: the memory of the tiles is not known yet.
func (d *Driver) copyArrayOn(ctx abi.Context, h abi.Array, r rectangle, on abi.Stream) abi.Result {
	const what = "cuMemcpy2DAsync"
	s, result := d.beginStream(what, ctx, on)
	defer d.mu.Unlock()
	if result != abi.Success || r.empty() {
		return result
	}
	a := d.arrays[h]
	if a == nil || a.ctx != s.ctx {
		return abi.InvalidHandle
	}
	memory, result := d.rows(a, r)
	if result != abi.Success {
		return result
	}
	return d.submit(s, work{what: what, uses: []use{{pieces: memory, write: r.out}}, run: func() abi.Result {
		if d.arrays[h] != a || !usable(memory) {
			return abi.IllegalAddress
		}
		return reaching(func() abi.Result { return a.copy(r, memory[0]) })
	}})
}

// maxPitch bounds the distance of rows in the program's memory, in bytes.
const maxPitch = 1<<31 - 1

// rows checks a copy and finds its memory of the host, in one piece.
func (d *Driver) rows(a *array, r rectangle) ([]piece, abi.Result) {
	size := a.layout.levels[a.level].size
	switch row := size[0] * a.texel; {
	case r.x%a.texel != 0, r.widthBytes%a.texel != 0, r.x > row, r.widthBytes > row-r.x, r.y > size[1], r.height > size[1]-r.y,
		r.pitch < r.widthBytes, r.pitch > maxPitch:
		return nil, abi.InvalidValue
	}
	return d.hostPieces(r.host, (r.height-1)*r.pitch+r.widthBytes)
}

// copy copies each run of texels that lies in one row of one tile.
func (a *array) copy(r rectangle, host piece) abi.Result {
	for row := range r.height {
		for done := uint64(0); done < r.widthBytes; {
			x := (r.x + done) / a.texel
			at, in := a.locate(a.level, 0, x, r.y+row, 0)
			n := min(r.widthBytes-done, a.run(x, in, a.layout.levels[a.level].tail))
			part := piece{host.span, host.off + row*r.pitch + done, n}
			if result := a.bound[at].copy(in, part, r.out); result != abi.Success {
				return result
			}
			done += n
		}
	}
	return abi.Success
}

// run returns how many bytes of a row lie in a tile from a texel on.
func (a *array) run(x, in uint64, tail bool) uint64 {
	if tail {
		return tileBytes - in
	}
	return (a.tile[0] - x%a.tile[0]) * a.texel
}

// copy copies between memory of the host and a place in a tile.
func (b binding) copy(in uint64, host piece, out bool) abi.Result {
	if b.memory == nil {
		if out {
			host.span.store.set(host.off, host.n, 0)
		}
		return abi.Success
	}
	tile := []piece{{&span{store: b.memory.store}, b.offset + in, host.n}}
	if out {
		return move([]piece{host}, tile)
	}
	return move(tile, []piece{host})
}
