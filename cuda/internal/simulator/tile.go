package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// tileBytes is the size of a tile of a sparse array, whatever its shape.
const tileBytes = 64 << 10

// The standard shapes of tiles, by the bytes of a texel.
var (
	flatTiles = map[uint64][3]uint64{1: {256, 256, 1}, 2: {256, 128, 1}, 4: {128, 128, 1}, 8: {128, 64, 1}, 16: {64, 64, 1}}
	deepTiles = map[uint64][3]uint64{1: {64, 32, 32}, 2: {32, 32, 32}, 4: {32, 32, 16}, 8: {32, 16, 16}, 16: {16, 16, 16}}
)

var channelBytes = map[int32]uint64{
	abi.FormatUint8: 1, abi.FormatInt8: 1, abi.FormatUint16: 2, abi.FormatInt16: 2, abi.FormatHalf: 2,
	abi.FormatUint32: 4, abi.FormatInt32: 4, abi.FormatFloat32: 4,
}

// texels is a size in each direction, in texels.
type texels [3]uint64

// level is one level of a texture: tiles, or a part of the mip tail, which holds the levels that are smaller than a tile.
type level struct {
	size  texels
	tail  bool
	start uint64 // in the tail, in bytes
}

// layout is where the bytes of a sparse texture are.
type layout struct {
	desc   abi.ArrayDesc
	texel  uint64 // bytes
	tile   texels
	levels []level
	layers uint64
	tail   uint64 // bytes of the tail of one layer, a multiple of tileBytes
	first  uint32 // level in the tail; the number of levels if there is no tail
}

// newLayout lays out a texture, and reports whether such a texture is possible.
func newLayout(desc abi.ArrayDesc, levels uint32) (*layout, bool) {
	l := &layout{desc: desc, texel: channelBytes[desc.Format] * uint64(desc.Channels), layers: 1, first: levels}
	shapes := flatTiles
	size := texels{desc.Width, max(desc.Height, 1), 1}
	switch {
	case desc.Layered:
		l.layers = max(desc.Depth, 1)
	case desc.Depth > 0:
		shapes, size[2] = deepTiles, desc.Depth
	}
	tile, ok := shapes[l.texel]
	if !ok || desc.Width == 0 || desc.Height == 0 || levels == 0 || levels > 32 {
		return nil, false
	}
	l.tile = tile
	used := uint64(0)
	for i := range levels {
		at := level{size: size}
		if levels > 1 && (size[0] < tile[0] || size[1] < tile[1] || size[2] < tile[2]) {
			l.first = min(l.first, i)
		}
		if i >= l.first {
			at.tail, at.start = true, used
			used += size[0] * size[1] * size[2] * l.texel
		}
		l.levels = append(l.levels, at)
		for n := range size {
			size[n] = max(size[n]/2, 1)
		}
	}
	l.tail = roundUp(used, tileBytes)
	return l, true
}

// properties returns the driver's description of a layout.
func (l *layout) properties() abi.SparseProps {
	return abi.SparseProps{
		TileWidth: uint32(l.tile[0]), TileHeight: uint32(l.tile[1]), TileDepth: uint32(l.tile[2]),
		MipTailFirstLevel: l.first, MipTailSize: l.tail,
	}
}

// spot is where a texel is: in a tile of a level and layer, or in the tail of a layer, which counts as tiles of a level of its own.
type spot struct {
	level, layer uint32
	x, y, z      uint64 // of the tile, in tiles
}

// tailLevel stands for the tail in a spot; x counts its tiles.
const tailLevel = ^uint32(0)

// locate returns the tile of a texel, and the offset in the tile in bytes.
func (l *layout) locate(n, layer uint32, x, y, z uint64) (spot, uint64) {
	at := l.levels[n]
	if at.tail {
		off := at.start + ((z*at.size[1]+y)*at.size[0]+x)*l.texel
		return spot{level: tailLevel, layer: layer, x: off / tileBytes}, off % tileBytes
	}
	t := l.tile
	in := ((z%t[2]*t[1]+y%t[1])*t[0] + x%t[0]) * l.texel
	return spot{n, layer, x / t[0], y / t[1], z / t[2]}, in
}

// region returns the tiles of a part of a level, in order, and reports whether it has borders of tiles only, or of the level.
func (l *layout) region(m abi.ArrayMap) ([]spot, bool) {
	if m.Tail {
		if m.TailOffset%tileBytes != 0 || m.TailSize == 0 || m.TailSize%tileBytes != 0 || m.TailSize > l.tail || m.TailOffset > l.tail-m.TailSize || uint64(m.Layer) >= l.layers {
			return nil, false
		}
		var spots []spot
		for x := m.TailOffset / tileBytes; x < (m.TailOffset+m.TailSize)/tileBytes; x++ {
			spots = append(spots, spot{level: tailLevel, layer: m.Layer, x: x})
		}
		return spots, true
	}
	if int(m.Level) >= len(l.levels) || l.levels[m.Level].tail || uint64(m.Layer) >= l.layers {
		return nil, false
	}
	var from, to texels
	size := l.levels[m.Level].size
	start := texels{uint64(m.X), uint64(m.Y), uint64(m.Z)}
	for i, n := range (texels{uint64(m.Width), max(uint64(m.Height), 1), max(uint64(m.Depth), 1)}) {
		end := start[i] + n
		if n == 0 || start[i]%l.tile[i] != 0 || end > size[i] || end%l.tile[i] != 0 && end != size[i] {
			return nil, false
		}
		from[i], to[i] = start[i]/l.tile[i], (end+l.tile[i]-1)/l.tile[i]
	}
	var spots []spot
	for z := from[2]; z < to[2]; z++ {
		for y := from[1]; y < to[1]; y++ {
			for x := from[0]; x < to[0]; x++ {
				spots = append(spots, spot{m.Level, m.Layer, x, y, z})
			}
		}
	}
	return spots, true
}
