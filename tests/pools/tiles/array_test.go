//go:build cudasim

package tiles

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// held is a live row and the places of its tiles.
type held struct {
	row    Row
	places []int
	value  int // of its first tile; the second has value+1, and so on
}

// Rows are bound to a sparse array, written through it and read back. Whatever is freed and handed out meanwhile, each tile keeps what was written to
// it; rows lie apart, and inside their memory.
func TestThroughArray(t *testing.T) {
	for _, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			machine(t, sim.Config{Schedule: 1})
			rig.Closing(t, s)
			c := canvas(t)
			b := &board{t: t, canvas: c, subject: s, r: rand.New(rand.NewPCG(1, 2))}
			for p := range c.Places() {
				b.unused = append(b.unused, p)
			}
			for range 60 {
				switch {
				case s.Free != nil && len(b.rows) > 0 && b.r.IntN(3) == 0:
					b.give(b.r.IntN(len(b.rows)))
				default:
					b.take(s.Lengths[b.r.IntN(len(s.Lengths))])
				}
				b.look(3)
			}
			b.look(c.Places())
			b.giveAll()
		})
	}
}

// board is a canvas on which rows of a pool are shown.
type board struct {
	t       *testing.T
	canvas  *Canvas
	subject Subject
	r       *rand.Rand
	rows    []held
	unused  []int // places
	value   int
}

// take allocates a row and shows it, if there are places for it.
func (b *board) take(tiles int) {
	if tiles > len(b.unused) {
		return
	}
	row, err := b.subject.Alloc(tiles)
	rig.Check(b.t, "alloc", err)
	if row.Len() != tiles || row.Bytes() != int64(tiles)*cuda.TileBytes || row.Offset() != int64(row.First())*cuda.TileBytes || row.Handle() == 0 {
		b.t.Fatalf("%d tiles: %+v", tiles, row)
	}
	h := held{row, b.unused[:tiles], b.value}
	b.unused = b.unused[tiles:]
	b.value += tiles
	for i, p := range h.places {
		rig.Check(b.t, "bind", b.canvas.Bind(p, row.Memory(), row.Offset()+int64(i)*cuda.TileBytes))
		rig.Check(b.t, "write", b.canvas.Write(p, h.value+i))
	}
	b.rows = append(b.rows, h)
}

// give unbinds a row and frees it; a second free must be refused.
func (b *board) give(i int) {
	h := b.rows[i]
	b.rows = append(b.rows[:i], b.rows[i+1:]...)
	for _, p := range h.places {
		rig.Check(b.t, "unbind", b.canvas.Bind(p, cuda.Memory{}, 0))
	}
	rig.Check(b.t, "synchronize", b.canvas.stream.Synchronize())
	b.unused = append(b.unused, h.places...)
	if b.subject.Free == nil {
		return
	}
	rig.Check(b.t, "free", b.subject.Free(h.row))
	rig.Refused(b.t, "second free", b.subject.Free(h.row), poolrt.ErrInvalidFree)
}

func (b *board) giveAll() {
	for len(b.rows) > 0 {
		b.give(0)
	}
	if s := b.subject.Stats(); b.subject.Free != nil && (s.Live != 0 || s.LiveBytes != 0) {
		b.t.Errorf("%+v", s)
	}
}

// look checks that each tile has one owner, and compares the contents of some tiles with what was written to them.
func (b *board) look(some int) {
	type tile struct {
		memory uint64
		number int
	}
	seen := map[tile]bool{}
	for _, h := range b.rows {
		for i, p := range h.places {
			at := tile{h.row.Handle(), h.row.First() + i}
			if seen[at] {
				b.t.Fatalf("%+v has two owners", at)
			}
			seen[at] = true
			if b.r.IntN(len(b.rows)*len(h.places)) < some {
				rig.Check(b.t, "look", b.canvas.Check(p, h.value+i))
			}
		}
	}
}

// Tiles take device memory even if they are never bound. Trim and Close return it.
func TestMemoryOfTilesComesBack(t *testing.T) {
	machine(t, sim.Config{})
	before, _, err := cuda.Device(0).MemInfo()
	rig.Check(t, "mem info", err)
	for _, s := range Subjects() {
		row := rig.Must(s.Alloc(s.Lengths[0]))
		if free, _, err := cuda.Device(0).MemInfo(); err != nil || free != before-s.Stats().Reserved || free == before {
			t.Errorf("%s: %d bytes are missing, %v", s.Name, before-free, err)
		}
		if s.Free != nil {
			reserved := s.Stats().Reserved
			rig.Check(t, "free", s.Free(row))
			if n := rig.Must(s.Trim(0)); n != reserved && s.Name != "alone" {
				t.Errorf("%s: trimmed %d of %d", s.Name, n, reserved)
			}
			if free, _, err := cuda.Device(0).MemInfo(); err != nil || free != before {
				t.Errorf("%s: %d bytes are missing after trim, %v", s.Name, before-free, err)
			}
		}
		rig.Check(t, "close", s.Close())
	}
}
