//go:build cudasim

package tiles

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// A free of anything but a live row, as it was handed out, is refused and has no effect.
func TestInvalidFree(t *testing.T) {
	machine(t, sim.Config{})
	p, q := rig.Must(NewPagePool()), rig.Must(NewPagePool())
	rig.Closing(t, p)
	rig.Closing(t, q)
	mine, other := rig.Must(p.Alloc(4)), rig.Must(q.Alloc(4))
	for what, row := range map[string]PageTiles{
		"zero": {}, "of another pool": other, "start": mine.Slice(0, 2), "end": mine.Slice(2, 4), "none": mine.Slice(0, 0),
	} {
		rig.Refused(t, what, p.Free(row), poolrt.ErrForeign)
	}
	rig.Check(t, "whole slice", p.Free(mine.Slice(0, 4)))
	rig.Refused(t, "again", p.Free(mine), poolrt.ErrInvalidFree)
	rig.Must(p.Trim(0))
	rig.Must(p.Alloc(4)) // a row in the same place of another chunk
	gone := poolrt.ErrForeign
	if poolrt.Debug { // the row is in the quarantine, and keeps the chunk
		gone = poolrt.ErrDoubleFree
	}
	rig.Refused(t, "of a chunk that is gone", p.Free(mine), gone)
	rig.Check(t, "free", q.Free(other))
	if s := p.Stats(); s.Live != 1 {
		t.Errorf("%+v", s)
	}
	rig.Check(t, "close", p.CloseForce())
}

// TestInvalidFreeOfEqual tests the same for rows of equal length, one by one and in batches.
func TestInvalidFreeOfEqual(t *testing.T) {
	machine(t, sim.Config{})
	p, q := rig.Must(NewQuadPool()), rig.Must(NewQuadPool())
	rig.Closing(t, p)
	rig.Closing(t, q)
	rows := make([]QuadTiles, 10)
	if n, err := p.AllocBatch(rows); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	other := rig.Must(q.Alloc())
	wrong := []QuadTiles{{}, other, rows[0].Slice(0, 1), rows[0].Slice(1, 4)}
	for _, row := range wrong {
		rig.Refused(t, "free", p.Free(row), poolrt.ErrForeign)
	}
	rig.Refused(t, "batch", p.FreeBatch(append(wrong, rows...)), poolrt.ErrForeign)
	if s := p.Stats(); s.Live != 0 {
		t.Errorf("%+v", s)
	}
	rig.Refused(t, "again", p.Free(rows[3]), poolrt.ErrDoubleFree)
	rig.Check(t, "free", q.Free(other))
}

// The limit is exact, in tiles.
func TestLimitIsExact(t *testing.T) {
	machine(t, sim.Config{})
	for _, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			n, most := s.Lengths[0], 0
			var rows []Row
			for {
				row, err := s.Alloc(n)
				if err != nil {
					rig.Refused(t, "alloc", err, poolrt.ErrLimit)
					break
				}
				rows, most = append(rows, row), most+row.Len()
			}
			want := 512
			if s.Name == "alone" {
				want = 16 // each row has memory of its own
			}
			if st := s.Stats(); most != want || st.Reserved != 32<<20 || st.PeakReserved != 32<<20 {
				t.Errorf("%d tiles, %+v", most, st)
			}
			for _, row := range rows {
				if s.Free != nil {
					rig.Check(t, "free", s.Free(row))
				}
			}
			rig.Check(t, "close", s.Close())
		})
	}
}

// The memory of rows belongs to the pool, and programs cannot close it.
func TestBorrowedMemory(t *testing.T) {
	machine(t, sim.Config{})
	p := rig.Must(NewSinglePool())
	rig.Closing(t, p)
	tile := rig.Must(p.Alloc())
	if m := tile.Memory(); m.Handle() != tile.Handle() || m.Close() == nil {
		t.Errorf("%+v", m)
	}
	if err := canvas(t).Bind(0, SingleTiles{}.Memory(), 0); err == nil {
		t.Error("no tiles were bound")
	}
	rig.Check(t, "free", p.Free(tile))
}

// On a device without sparse arrays, pools of tiles return an error.
func TestDevicesWithoutSparseArrays(t *testing.T) {
	machine(t, sim.Config{Attributes: map[int32]int32{int32(cuda.SparseArraysSupported): 0}})
	rig.Refused(t, "supports", cuda.Device(0).Supports("texture_tile"), poolrt.ErrUnsupported)
	_, err := new(PagePool).Alloc(1)
	rig.Refused(t, "alloc", err, poolrt.ErrUnsupported)
	sim.SetAttribute(0, int32(cuda.SparseArraysSupported), 1)
	rig.Check(t, "supports", cuda.Device(0).Supports("texture_tile"))
}
