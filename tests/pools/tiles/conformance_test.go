//go:build cudasim

package tiles

import (
	"errors"
	"math"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// P9: tiles over a heap with a limit of 32 MiB: 100 rows, every tenth of 4 tiles and the others of one. Handles and counts are correct, and each free
// frees exactly the tiles of its row.
func TestP9TextureTile(t *testing.T) {
	machine(t, sim.Config{})
	p := rig.Must(NewPlainPool())
	rig.Closing(t, p)
	var rows []PlainTiles
	for i := range 100 {
		n := 1
		if i%10 == 9 {
			n = 4
		}
		row := rig.Must(p.Alloc(n))
		if h := row.Handle(); h == 0 || h == math.MaxUint64 || row.Len() != n || row.Bytes() != int64(n)*cuda.TileBytes {
			t.Fatalf("%d tiles: %+v", n, row)
		}
		rows = append(rows, row)
	}
	free := func() int64 { s := p.Stats(); return s.Reserved - s.LiveBytes - s.RoundingBytes }
	for _, row := range rows {
		before := free()
		rig.Check(t, "free", p.Free(row))
		if got := free() - before; got != row.Bytes() {
			t.Fatalf("the free of a row of %d tiles frees %d bytes", row.Len(), got)
		}
	}
	for range 4 { // each chunk is one range again
		rows = append(rows, rig.Must(p.Alloc(128)))
	}
	_, err := p.Alloc(1)
	rig.Refused(t, "alloc", err, poolrt.ErrLimit)
	for _, row := range rows[100:] {
		rig.Check(t, "free", p.Free(row))
	}
}

// X8: when the first of two rows that are longer than three chunks is freed, no tile of the second is handed out again. The toolkit
// hands out all of them again.
func TestX8Oversize(t *testing.T) {
	machine(t, sim.Config{})
	p := rig.Must(NewPagePool())
	rig.Closing(t, p)
	big, second := rig.Must(p.Alloc(96)), rig.Must(p.Alloc(32))
	rig.Check(t, "free", p.Free(big))
	var rows []PageTiles
	for {
		row, err := p.Alloc(1)
		if err != nil {
			rig.Refused(t, "alloc", err, poolrt.ErrLimit)
			break
		}
		if row.Handle() == second.Handle() {
			t.Fatalf("%+v lies in %+v", row, second)
		}
		rows = append(rows, row)
	}
	if len(rows) != 512-32 {
		t.Errorf("%d tiles in addition to the 32 that are live", len(rows))
	}
	for _, row := range append(rows, second) {
		rig.Check(t, "free", p.Free(row))
	}
}

// X8: a row can have 65,536 tiles and more, each of which can be bound and has its own number.
func TestX8ManyTiles(t *testing.T) {
	machine(t, sim.Config{Schedule: 1, Capacity: 64 << 30})
	p := rig.Must(NewVastPool())
	rig.Closing(t, p)
	c := canvas(t)
	for place, n := range []int{1 << 16, 81920, 1<<17 + 1} {
		row := rig.Must(p.Alloc(n))
		if row.Len() != n || row.Bytes() != int64(n)*65536 || row.First() != 0 {
			t.Errorf("%d tiles: %+v", n, row)
		}
		last := row.Slice(n-1, n)
		if last.Len() != 1 || last.First() != n-1 || last.Offset() != int64(n-1)*65536 {
			t.Errorf("the last of %d: %+v", n, last)
		}
		rig.Check(t, "bind", c.Bind(place, last.Memory(), last.Offset()))
		rig.Check(t, "write", c.Write(place, n))
		rig.Check(t, "read", c.Check(place, n))
		rig.Check(t, "unbind", c.Bind(place, cuda.Memory{}, 0))
		rig.Check(t, "synchronize", c.stream.Synchronize())
		if s := p.Stats(); s.LiveBytes != row.Bytes() || s.RoundingBytes != 0 {
			t.Errorf("%d tiles: %+v", n, s)
		}
		rig.Check(t, "free", p.Free(row))
	}
	for n, want := range map[int]error{
		1 << 22: poolrt.ErrOutOfMemory, 1 << 40: poolrt.ErrTooLarge, math.MaxInt: poolrt.ErrBadSize,
		0: poolrt.ErrBadSize, -1: poolrt.ErrBadSize, math.MinInt: poolrt.ErrBadSize,
	} {
		if row, err := p.Alloc(n); !errors.Is(err, want) || row != (VastTiles{}) {
			t.Errorf("%d tiles: %v, want %v", n, err, want)
		}
	}
}

// Rows can be aligned to more than a tile in their memory.
func TestRowsBeginAligned(t *testing.T) {
	machine(t, sim.Config{})
	p := rig.Must(NewPagePool())
	rig.Closing(t, p)
	var rows []PageTiles
	for _, align := range []int{1, 256, 64 << 10, 128 << 10, 1 << 20, 2 << 20} {
		for range 2 {
			row := rig.Must(p.AllocAligned(1, align))
			if row.Offset()%int64(align) != 0 {
				t.Errorf("alignment %d: offset %d", align, row.Offset())
			}
			rows = append(rows, row)
		}
	}
	for _, align := range []int{0, 3, -1, 4 << 20} {
		_, err := p.AllocAligned(1, align)
		rig.Refused(t, "alignment", err, poolrt.ErrBadAlignment)
	}
	for _, row := range rows {
		rig.Check(t, "free", p.Free(row))
	}
}
