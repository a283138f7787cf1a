package simulator

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// MemcpyToArray copies rows to layer and slice 0 of an array, once the legacy default stream is idle; x is in bytes, y in rows. What falls on
// tiles without memory is lost.
func (d *Driver) MemcpyToArray(ctx abi.Context, h abi.Array, x, y, widthBytes, height uint64, src unsafe.Pointer, pitch uint64) abi.Result {
	return d.copyArray(ctx, h, x, y, widthBytes, height, src, pitch, func(host piece, tile []piece) abi.Result {
		if tile == nil {
			return abi.Success
		}
		return move(tile, []piece{host})
	})
}

// MemcpyFromArray copies rows from layer and slice 0 of an array, as MemcpyToArray. Tiles without memory read as 0.
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
