//go:build cudasim

package devices

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// wantZeroOn checks that memory is clear in stream order, and queues work that makes it dirty again.
func wantZeroOn(t *testing.T, what string, p cuda.DevicePtr, n int64, s cuda.Stream) {
	t.Helper()
	got := make([]byte, n)
	rig.Check(t, what, cuda.CopyToHostAsync(got, p, s)) // waits, as it is memory of the Go heap
	if slices.ContainsFunc(got, func(b byte) bool { return b != 0 }) {
		t.Errorf("%s is not clear", what)
	}
	rig.Check(t, what, cuda.MemsetAsync(p, dirty, n, s))
}

// A stream that reuses a block before it has passed the free gets it clear in stream order, and the host does not wait.
func TestZeroOnStream(t *testing.T) {
	machine(t, sim.Config{})
	p := new(FlowItemPool)
	rig.Closing(t, p)
	s := rig.Stream(t, 0)
	const bytes = int64(flowItemItemSize)
	for range 5 {
		waits := sim.Calls("cuStreamSynchronize")
		c := rig.Must(p.AllocOn(s))
		if sim.Calls("cuStreamSynchronize") != waits {
			t.Error("the host waited")
		}
		wantZeroOn(t, "item", c.Addr(), bytes, s)
		rig.Check(t, "free", p.FreeOn(c, s))
	}
	c := rig.Must(p.Alloc())
	wantZero(t, "item for all", c.Addr(), bytes)
	rig.Check(t, "free", p.Free(c))
	sim.Fail("cuMemsetD8Async", 1, 1)
	if _, err := p.AllocOn(s); rig.As[*cuda.Error](t, err).Op != "MemsetD8Async" {
		t.Error(err)
	}
	for range 2 { // a reused block, and a new one
		sim.Fail("cuMemsetD8Async", 1, 1)
		if err := rig.Second(p.AllocOn(s)); err == nil || p.Stats().Live != 0 {
			t.Errorf("%v, %d live", err, p.Stats().Live)
		}
		p.Poll()
		rig.Check(t, "work", s.Synchronize())
		p.Poll()
	}
	batch := make([]FlowItemPtr, 3)
	for range 2 { // new blocks, then those that were freed
		rig.Must(p.AllocBatchOn(batch, s))
		for _, c := range batch {
			wantZeroOn(t, "item of a batch", c.Addr(), bytes, s)
		}
		rig.Check(t, "free", p.FreeBatchOn(batch, s))
	}
	sim.Fail("cuMemsetD8Async", 2, 1) // that of the second block of the batch
	if n, err := p.AllocBatchOn(batch, s); n != 0 || err == nil || batch[0] != 0 || p.Stats().Live != 0 {
		t.Errorf("%d blocks, %v, %d live", n, err, p.Stats().Live)
	}
	p.Poll()
	rig.Check(t, "work", s.Synchronize())
	p.Poll()
	if st := p.Stats(); st.Pending != 0 || st.Failures != 4 {
		t.Errorf("%+v", st)
	}
}

func TestZeroRowsOnStream(t *testing.T) {
	machine(t, sim.Config{})
	p := new(FlowRowPool)
	rig.Closing(t, p)
	a, b := rig.Stream(t, 0), rig.Stream(t, 0)
	for i := range 20 {
		s := []cuda.Stream{a, b}[i%2]
		row := rig.Must(p.AllocOn(60<<10, s)) // only a few fit
		wantZeroOn(t, "row", row.Addr(), row.Bytes(), s)
		free := p.FreeOn
		if i%3 == 0 {
			free = p.FreeAsync
		}
		rig.Check(t, "free", free(row, s))
		plain := rig.Must(p.Alloc(1000))
		wantZero(t, "row for all", plain.Addr(), 1000)
		rig.Check(t, "free", p.Free(plain))
	}
}

// Go code clears page-locked blocks, and never one that a stream may use.
func TestZeroStageOnStream(t *testing.T) {
	machine(t, sim.Config{Schedule: 7})
	p := new(FlowStagePool)
	rig.Closing(t, p)
	s := rig.Stream(t, 0)
	for range 30 {
		b := rig.Must(p.AllocOn(40<<10, s))
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("byte %d is %#x", i, b[i])
			}
		}
		rig.Check(t, "work", cuda.MemsetAsync(cuda.AddressOf(b), dirty, int64(len(b)), s))
		rig.Check(t, "free", p.FreeOn(b, s))
	}
}

// Without a driver there are no streams, and ordinary memory as a fallback can still be freed on streams without a panic.
func TestNoDriverOnStream(t *testing.T) {
	machine(t, sim.Config{Devices: -1})
	p := new(FlowStagePool)
	b := rig.Must(p.AllocOn(1000, cuda.Stream{}))
	b[0] = 1
	rig.Check(t, "free", p.FreeOn(b, cuda.Stream{}))
	if n := p.Poll(); n != 1 || p.Stats().Pending != 0 {
		t.Errorf("%d reclaimed, %+v", n, p.Stats())
	}
	rig.Check(t, "free", p.FreeAsync(rig.Must(p.Alloc(1000)), cuda.Stream{}))
	rig.Check(t, "close", p.Close())
}
