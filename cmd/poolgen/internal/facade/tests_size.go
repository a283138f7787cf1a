package facade

import (
	"math"

	"github.com/poolgen/poolgen/spec"
)

// itemBytes is what an item counts for, as an expression.
func (p *Pool) itemBytes() string {
	switch {
	case p.numbers():
		return "1"
	case p.Tiled() && !p.ItemForm():
		return size(spec.TileBytes)
	case p.Item.Kind == spec.ItemBytes && p.ItemForm():
		return size(p.BlockSize)
	case p.Sized():
		return size(p.Item.Size)
	}
	return "int64(unsafe.Sizeof(*new(" + p.testItem(p.ItemType()) + ")))"
}

// largeRequest bounds what a test asks for in one call, in bytes.
const largeRequest = 64 << 10

// mostItems is how many items that is, as an expression.
func (p *Pool) mostItems() string {
	bytes := min(p.Limit, largeRequest)
	if p.ChunkSize > 0 {
		bytes = min(bytes, p.ChunkSize)
	}
	if p.ArenaSize > 0 {
		bytes = min(bytes, p.ArenaSize)
	}
	switch {
	case p.ItemForm():
		return "1"
	case p.numbers():
		return decimal(min(p.Limit, 64))
	case p.Tiled():
		return "4"
	case p.Sized():
		return size(max(1, bytes/p.Item.Size))
	}
	return "max(1, " + size(bytes) + " / int(unsafe.Sizeof(*new(" + p.testItem(p.ItemType()) + "))))"
}

// testRoom is the limit that tests set: a few MiB, or what the smallest chunk takes.
func (p *Pool) testRoom() string {
	if p.numbers() {
		return "4096"
	}
	room := max(8<<20, 2*p.Granularity, 2*p.Alignment, p.ArenaSize)
	if len(p.Bins) > 0 {
		room = max(room, min(p.Bins[0], math.MaxInt64/2)*2)
	}
	if p.ItemForm() {
		room = max(room, min(p.BlockSize, math.MaxInt64/2)*2)
	}
	if !p.Sized() {
		return "max(" + size(room) + ", 4 * " + p.itemBytes() + ")"
	}
	return size(max(room, 4*min(p.Item.Size, math.MaxInt64/4)))
}

// fewItems is how many items a benchmark and the example ask for.
func (p *Pool) fewItems() int64 {
	room := p.Limit
	for _, size := range []int64{p.ChunkSize, p.ArenaSize} {
		if size > 0 {
			room = min(room, size)
		}
	}
	if p.ItemForm() || p.numbers() || p.Tiled() || !p.Sized() || p.Item.Size > room/16 {
		return 1
	}
	return 16
}

// size is a number of bytes as an expression.
func size(n int64) string { return Size(n).GoString() }
