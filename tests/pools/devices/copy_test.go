//go:build cudasim

package devices

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

func bodies(n int) []Body {
	list := make([]Body, n)
	for i := range list {
		list[i] = Body{Position: [3]float32{float32(i), 1, 2}, Mass: float64(n)}
	}
	return list
}

func TestCopyRows(t *testing.T) {
	machine(t, sim.Config{})
	p := new(RowPool)
	rig.Closing(t, p)
	s := rig.Stream(t, 0)
	a, b := rig.Must(p.Alloc(10)), rig.Must(p.Alloc(10))
	want := bodies(10)
	rig.Check(t, "to device", p.CopyToDevice(a, want, s))
	rig.Check(t, "within", p.CopyPeer(b, a, s))
	got := make([]Body, 10)
	rig.Check(t, "to host", p.CopyToHost(got, b, s))
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	rig.Check(t, "part", p.CopyToHost(got[:3], b.Slice(4, 7), s))
	if !slices.Equal(got[:3], want[4:7]) {
		t.Errorf("a part: %v", got[:3])
	}
	rig.Check(t, "zero", p.Zero(b.Slice(2, 4), s))
	rig.Check(t, "to host", p.CopyToHost(got, b, s))
	copy(want[2:4], make([]Body, 2))
	if !slices.Equal(got, want) {
		t.Errorf("after zero: %v", got)
	}
	rig.Check(t, "nothing", p.CopyToDevice(a, nil, s))
	rig.Check(t, "nothing", p.CopyToHost(nil, a, s))
	rig.Check(t, "free", p.Free(a))
	rig.Check(t, "free", p.Free(b))
}

func TestCopyRowsRefused(t *testing.T) {
	machine(t, sim.Config{})
	p := new(RowPool)
	rig.Closing(t, p)
	s := rig.Stream(t, 0)
	a, small := rig.Must(p.Alloc(10)), rig.Must(p.Alloc(2))
	var none RowSpan
	rig.Refused(t, "too much to the device", p.CopyToDevice(a, bodies(11), s), poolrt.ErrBadSize)
	rig.Refused(t, "too much to the host", p.CopyToHost(bodies(11), a, s), poolrt.ErrBadSize)
	rig.Refused(t, "too much across", p.CopyPeer(small, a, s), poolrt.ErrBadSize)
	rig.Refused(t, "to no block", p.CopyToDevice(none, nil, s), poolrt.ErrForeign)
	rig.Refused(t, "from no block", p.CopyToHost(nil, none, s), poolrt.ErrForeign)
	rig.Refused(t, "across to no block", p.CopyPeer(none, none, s), poolrt.ErrForeign)
	rig.Refused(t, "across from no block", p.CopyPeer(a, none, s), poolrt.ErrForeign)
	rig.Refused(t, "zero of no block", p.Zero(none, s), poolrt.ErrForeign)
	rig.Check(t, "free", p.FreeAll(a, small))
}

// FreeAll frees several rows.
func (p *RowPool) FreeAll(rows ...RowSpan) error {
	for _, r := range rows {
		if err := p.Free(r); err != nil {
			return err
		}
	}
	return nil
}

func TestCopyItems(t *testing.T) {
	machine(t, sim.Config{})
	cellDefault = CellPool{} // it may have been closed before
	rig.Closing(t, DefaultCellPool())
	s := rig.Stream(t, 0)
	a, b := rig.Must(AllocCell()), rig.Must(AllocCell())
	want := bodies(3)[2]
	var got Body
	rig.Check(t, "to device", CopyCellToDevice(a, &want, s))
	rig.Check(t, "across", CopyCellPeer(b, a, s))
	rig.Check(t, "to host", CopyCellToHost(&got, b, s))
	if got != want {
		t.Errorf("got %v", got)
	}
	rig.Check(t, "zero", ZeroCell(b, s))
	rig.Check(t, "to host", CopyCellToHost(&got, b, s))
	if got != (Body{}) {
		t.Errorf("after zero: %v", got)
	}
	rig.Refused(t, "from nil", CopyCellToDevice(a, nil, s), poolrt.ErrBadSize)
	rig.Refused(t, "to nil", CopyCellToHost(nil, a, s), poolrt.ErrBadSize)
	rig.Refused(t, "to no block", CopyCellToDevice(0, &want, s), poolrt.ErrForeign)
	rig.Refused(t, "from no block", CopyCellToHost(&got, 0, s), poolrt.ErrForeign)
	rig.Refused(t, "across to no block", CopyCellPeer(0, a, s), poolrt.ErrForeign)
	rig.Refused(t, "across from no block", CopyCellPeer(a, 0, s), poolrt.ErrForeign)
	rig.Refused(t, "zero of no block", ZeroCell(0, s), poolrt.ErrForeign)
	rig.Check(t, "free", FreeCellBatch([]CellPtr{a, b}))
}

// Blocks of pools on two devices can be copied on a stream of either, with and without peer access.
func TestCopyPeer(t *testing.T) {
	for _, noPeers := range []bool{false, true} {
		machine(t, sim.Config{NoPeers: noPeers})
		p, q := rig.Must(NewRowPool(poolrt.OnDevice(0))), rig.Must(NewRowPool(poolrt.OnDevice(1)))
		a, b, want := rig.Must(p.Alloc(5)), rig.Must(q.Alloc(8)), bodies(5)
		for d := range cuda.Device(2) {
			s := rig.Must(d.NewStream(cuda.NonBlocking))
			first := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
			rig.Check(t, "to device", p.CopyToDevice(a, want, first))
			rig.Check(t, "peer", q.CopyPeer(b, a, s))
			rig.Check(t, "wait", s.Synchronize())
			rig.Check(t, "on the other device", q.CopyPeer(b.Slice(5, 8), b.Slice(0, 3), s))
			rig.Check(t, "wait", s.Synchronize())
			got := make([]Body, 5)
			last := rig.Must(cuda.Device(1).NewStream(cuda.NonBlocking))
			rig.Check(t, "to host", q.CopyToHost(got, b, last))
			if !slices.Equal(got, want) {
				t.Errorf("got %v", got)
			}
			for _, s := range []cuda.Stream{s, first, last} {
				rig.Check(t, "close", s.Close())
			}
		}
		rig.Check(t, "free", p.Free(a))
		rig.Check(t, "free", q.Free(b))
		rig.Check(t, "close", p.Close())
		rig.Check(t, "close", q.Close())
	}
	sim.Fail("cuPointerGetAttribute", 1, 1)
	if err := cuda.CopyBlock(1, 3, 2, 3, 3, cuda.Stream{}); err == nil {
		t.Error("a copy from an address outside of all memory succeeded")
	}
}
