//go:build !cudasim

package devices

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// These tests need a device. Without one they are skipped; other tests check the same on the simulated driver.

func live(t *testing.T) cuda.Stream {
	t.Helper()
	if err := cuda.Probe(); err != nil {
		t.Skip(err)
	}
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	ok(t, err)
	t.Cleanup(func() { ok(t, s.Close()) })
	return s
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLiveCopies(t *testing.T) {
	s := live(t)
	p, err := NewRowPool(poolrt.OnDevice(0))
	ok(t, err)
	a, err := p.Alloc(100)
	ok(t, err)
	want, got := make([]Body, 100), make([]Body, 100)
	for i := range want {
		want[i].Mass = float64(i)
	}
	ok(t, p.CopyToDevice(a, want, s))
	from := a
	if list, err := cuda.Devices(); err == nil && len(list) > 1 {
		q, err := NewRowPool(poolrt.OnDevice(1))
		ok(t, err)
		b, err := q.Alloc(100)
		ok(t, err)
		ok(t, s.Synchronize())
		ok(t, q.CopyPeer(b, a, s))
		ok(t, p.Zero(a, s))
		ok(t, p.CopyPeer(a, b, s))
		ok(t, s.Synchronize())
		ok(t, q.Free(b))
		ok(t, q.Close())
	}
	ok(t, p.CopyToHost(got, from, s))
	if !slices.Equal(got, want) {
		t.Error("the copied items differ")
	}
	ok(t, p.Zero(a, s))
	ok(t, p.CopyToHost(got, a, s))
	if !slices.Equal(got, make([]Body, 100)) {
		t.Error("the block is not clear")
	}
	ok(t, p.Free(a))
	ok(t, p.Close())
}

func TestLiveZero(t *testing.T) {
	s := live(t)
	var row CleanRowPool
	var flow FlowRowPool
	got := make([]byte, 40<<10)
	for range 20 {
		b, err := row.Alloc(len(got))
		ok(t, err)
		ok(t, row.CopyToHost(got, b, s))
		if slices.Max(got) != 0 {
			t.Fatal("the block is not clear")
		}
		ok(t, cuda.MemsetAsync(b.Addr(), 7, b.Bytes(), s))
		ok(t, s.Synchronize())
		ok(t, row.Free(b))
		f, err := flow.AllocOn(len(got), s)
		ok(t, err)
		ok(t, flow.CopyToHost(got, f, s))
		if slices.Max(got) != 0 {
			t.Fatal("not clear on its stream")
		}
		ok(t, cuda.MemsetAsync(f.Addr(), 7, f.Bytes(), s))
		ok(t, flow.FreeOn(f, s))
	}
	ok(t, row.Close())
	ok(t, flow.Close())
}

func TestLiveDriverPool(t *testing.T) {
	live(t)
	var p OwnPool
	ok(t, p.SetDriverAttr(cuda.ReleaseThreshold, 1<<30))
	b, err := p.Alloc(60 << 10)
	ok(t, err)
	stats, err := p.DriverStats()
	ok(t, err)
	if stats.Used < 64<<10 || stats.Reserved < stats.Used {
		t.Errorf("%+v", stats)
	}
	ok(t, p.Free(b))
	ok(t, p.ResetPeaks())
	released, err := p.Trim(0)
	ok(t, err)
	if stats, err = p.DriverStats(); err != nil || released != 64<<10 || stats.Used != 0 || stats.Reserved != 0 {
		t.Errorf("%d released, %+v, %v", released, stats, err)
	}
	if n, err := p.DriverAttr(cuda.ReleaseThreshold); n != 1<<30 || err != nil {
		t.Error(n, err)
	}
	if err := p.SetDriverAttr(cuda.UsedCurrent, 0); err == nil {
		t.Error("an attribute that can only be read was set")
	}
	ok(t, p.Close())
}
