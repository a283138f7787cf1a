package lower

import (
	"math"

	"github.com/poolgen/poolgen/spec"
)

// Trial holds the sizes in the generated tests of a pool, as Go code of their file.
type Trial struct {
	ItemBytes   string // bytes of an item
	Most        string // items that a test asks for in one call
	Room        string // the limit that tests set: a few MiB, or what the smallest chunk takes
	Few         int64  // items that a benchmark and the example ask for
	RunsExample bool   // the example prints the same wherever it runs
}

func (p *Pool) trial() Trial {
	return Trial{ItemBytes: p.itemBytes(), Most: p.mostItems(), Room: p.room(), Few: p.fewItems(), RunsExample: p.runsExample()}
}

// sizeof is the size of an item in a test file.
func (p *Pool) sizeof() string { return "unsafe.Sizeof(*new(" + p.Item.Tests.String() + "))" }

func (p *Pool) itemBytes() string {
	switch {
	case p.Tiled() && !p.Spec.ItemForm():
		return Bytes(spec.TileBytes)
	case p.Item.Size.Known > 0:
		return Bytes(p.Item.Size.Known)
	}
	return "int64(" + p.sizeof() + ")"
}

// largeRequest bounds what a test requests in one call, in bytes.
const largeRequest = 64 << 10

// part returns the largest part of the pool, and of a limit, that one request can have.
func (p *Pool) part(limit int64) int64 {
	for _, size := range []int64{p.Spec.ChunkSize, p.Spec.ArenaSize} {
		if size > 0 {
			limit = min(limit, size)
		}
	}
	return limit
}

func (p *Pool) mostItems() string {
	bytes := p.part(min(p.Spec.Limit, largeRequest))
	switch {
	case p.Spec.ItemForm():
		return "1"
	case p.Numbers():
		return decimal(min(p.Spec.Limit, 64))
	case p.Tiled():
		return "4"
	case p.Item.Size.Known > 0:
		return Bytes(max(1, bytes/p.Item.Size.Known))
	}
	return "max(1, " + Bytes(bytes) + " / int(" + p.sizeof() + "))"
}

func (p *Pool) room() string {
	if p.Numbers() {
		return "4096"
	}
	s := p.Spec
	room := max(8<<20, 2*s.Granularity, 2*s.Alignment, s.ArenaSize)
	if len(s.Bins) > 0 {
		room = max(room, min(s.Bins[0], math.MaxInt64/2)*2)
	}
	if s.ItemForm() {
		room = max(room, min(s.BlockSize, math.MaxInt64/2)*2)
	}
	if p.Item.Size.Known == 0 {
		return "max(" + Bytes(room) + ", 4 * " + p.itemBytes() + ")"
	}
	return Bytes(max(room, 4*min(s.Item.Size, math.MaxInt64/4)))
}

func (p *Pool) fewItems() int64 {
	if room := p.part(p.Spec.Limit); p.Spec.ItemForm() || p.Numbers() || p.Tiled() || p.Item.Size.Known == 0 || p.Item.Size.Known > room/16 {
		return 1
	}
	return 16
}

// runsExample reports whether the example runs: only if it takes little memory, of the host.
func (p *Pool) runsExample() bool {
	s := p.Spec
	few := max(s.Prime, s.ChunkSize, s.BlockSize, s.ArenaSize) <= 64<<20
	return !s.NeedsDriver() && p.Budget == nil && few && !s.HasRung(spec.RungPool)
}
