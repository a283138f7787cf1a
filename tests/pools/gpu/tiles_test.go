//go:build !cudasim

package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/tiles"
)

// Rows of tiles of every suballocator are bound to a sparse array, written through it and read back while others are freed and handed out; each
// tile keeps what was written to it, and the device has as much free memory afterwards as before.
func TestTiles(t *testing.T) {
	l := newLab(t, 0)
	if err := l.device.Supports("texture_tile"); err != nil {
		t.Skip(err)
	}
	c, err := tiles.NewCanvas(l.device, 2048, l.streams(1)[0])
	l.ok("canvas", err)
	for _, warm := range []bool{true, false} { // the first round warms the driver up
		for _, s := range tiles.Subjects() {
			before, _, err := l.device.MemInfo()
			l.ok("mem info", err)
			g := &gallery{lab: l, canvas: c, subject: s, r: rand.New(rand.NewPCG(3, 4))}
			g.run(tileSteps())
			l.ok("close", s.Close())
			after, _, err := l.device.MemInfo()
			l.ok("mem info", err)
			if !warm && after < before {
				t.Errorf("%s: %d bytes free, %d before", s.Name, after, before)
			}
		}
	}
	l.ok("close", c.Close())
}

// A row of 65,536 tiles has 4 GiB, whose last tile holds what is written to it.
func TestManyTiles(t *testing.T) {
	if testing.Short() {
		t.Skip("the driver may refuse so large a mapping, which tools report as an error")
	}
	l := newLab(t, 0)
	if err := l.device.Supports("texture_tile"); err != nil {
		t.Skip(err)
	}
	const many = 1 << 16
	free, _, err := l.device.MemInfo()
	l.ok("mem info", err)
	if free < 2*many*cuda.TileBytes {
		t.Skipf("%d bytes are free", free)
	}
	var p tiles.VastPool
	row, err := p.Alloc(many)
	if errors.Is(err, poolrt.ErrOutOfMemory) { // the driver refuses so large an allocation; the error names the call
		t.Skip(err)
	}
	l.ok("alloc", err)
	last := row.Slice(many-1, many)
	c, err := tiles.NewCanvas(l.device, 2048, l.streams(1)[0])
	l.ok("canvas", err)
	l.ok("bind", c.Bind(0, row.Memory(), row.Offset()))
	l.ok("bind", c.Bind(1, last.Memory(), last.Offset()))
	l.ok("write", c.Write(0, 1))
	l.ok("write", c.Write(1, 2))
	l.ok("first", c.Check(0, 1))
	l.ok("last", c.Check(1, 2))
	l.ok("close", c.Close())
	l.ok("free", p.Free(row))
	l.ok("close", p.Close())
}

func tileSteps() int {
	if testing.Short() {
		return 30
	}
	return 200
}

// gallery shows rows of a pool on a canvas.
type gallery struct {
	*lab
	canvas  *tiles.Canvas
	subject tiles.Subject
	r       *rand.Rand
	shown   []exhibit
	unused  []int // places
	value   int
}

// exhibit is a live row and the places of its tiles. The first tile has the value, the second value+1, and so on.
type exhibit struct {
	tiles.Row
	places []int
	value  int
}

func (g *gallery) run(steps int) {
	for p := range g.canvas.Places() {
		g.unused = append(g.unused, p)
	}
	for range steps {
		if g.subject.Free != nil && len(g.shown) > 0 && g.r.IntN(2) == 0 {
			g.give(g.r.IntN(len(g.shown)))
			continue
		}
		g.take(g.subject.Lengths[g.r.IntN(len(g.subject.Lengths))])
	}
	for len(g.shown) > 0 {
		g.give(0)
	}
}

// take allocates a row and shows it, if there are places for it and the pool has room.
func (g *gallery) take(n int) {
	if n > len(g.unused) {
		return
	}
	row, err := g.subject.Alloc(n)
	if err != nil {
		return // at the limit
	}
	e := exhibit{row, g.unused[:n], g.value}
	g.unused = g.unused[n:]
	g.value += n
	for i, p := range e.places {
		g.ok("bind", g.canvas.Bind(p, row.Memory(), row.Offset()+int64(i)*cuda.TileBytes))
		g.ok("write", g.canvas.Write(p, e.value+i))
	}
	g.shown = append(g.shown, e)
}

// give verifies a row, unbinds and frees it.
func (g *gallery) give(i int) {
	e := g.shown[i]
	g.shown = append(g.shown[:i], g.shown[i+1:]...)
	for i, p := range e.places {
		g.ok(g.subject.Name, g.canvas.Check(p, e.value+i))
		g.ok("unbind", g.canvas.Bind(p, cuda.Memory{}, 0))
	}
	g.ok("synchronize", g.device.Synchronize())
	g.unused = append(g.unused, e.places...)
	if g.subject.Free != nil {
		g.ok("free", g.subject.Free(e.Row))
	}
}
