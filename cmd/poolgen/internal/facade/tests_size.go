package facade

import (
	"math"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// itemBytes is what an item counts for, as an expression.
func (p *pool) itemBytes() string {
	switch {
	case p.tiled() && !p.Spec.ItemForm():
		return lower.Bytes(spec.TileBytes)
	case p.Item.Size.Known > 0:
		return lower.Bytes(p.Item.Size.Known)
	}
	return "int64(unsafe.Sizeof(*new(" + p.Item.Tests.String() + ")))"
}

// largeRequest bounds what a test asks for in one call, in bytes.
const largeRequest = 64 << 10

// mostItems is how many items that is, as an expression.
func (p *pool) mostItems() string {
	bytes := min(p.Spec.Limit, largeRequest)
	if p.Spec.ChunkSize > 0 {
		bytes = min(bytes, p.Spec.ChunkSize)
	}
	if p.Spec.ArenaSize > 0 {
		bytes = min(bytes, p.Spec.ArenaSize)
	}
	switch {
	case p.Spec.ItemForm():
		return "1"
	case p.numbers():
		return decimal(min(p.Spec.Limit, 64))
	case p.tiled():
		return "4"
	case p.Item.Size.Known > 0:
		return lower.Bytes(max(1, bytes/p.Spec.Item.Size))
	}
	return "max(1, " + lower.Bytes(bytes) + " / int(unsafe.Sizeof(*new(" + p.Item.Tests.String() + "))))"
}

// testRoom is the limit that tests set: a few MiB, or what the smallest chunk takes.
func (p *pool) testRoom() string {
	if p.numbers() {
		return "4096"
	}
	room := max(8<<20, 2*p.Spec.Granularity, 2*p.Spec.Alignment, p.Spec.ArenaSize)
	if len(p.Spec.Bins) > 0 {
		room = max(room, min(p.Spec.Bins[0], math.MaxInt64/2)*2)
	}
	if p.Spec.ItemForm() {
		room = max(room, min(p.Spec.BlockSize, math.MaxInt64/2)*2)
	}
	if p.Item.Size.Known == 0 {
		return "max(" + lower.Bytes(room) + ", 4 * " + p.itemBytes() + ")"
	}
	return lower.Bytes(max(room, 4*min(p.Spec.Item.Size, math.MaxInt64/4)))
}

// fewItems is how many items a benchmark and the example ask for.
func (p *pool) fewItems() int64 {
	room := p.Spec.Limit
	for _, size := range []int64{p.Spec.ChunkSize, p.Spec.ArenaSize} {
		if size > 0 {
			room = min(room, size)
		}
	}
	if p.Spec.ItemForm() || p.numbers() || p.tiled() || p.Item.Size.Known == 0 || p.Spec.Item.Size > room/16 {
		return 1
	}
	return 16
}
