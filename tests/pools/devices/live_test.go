//go:build !cudasim

package devices

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// These tests need a device. Without one they are skipped; other tests check the same on the simulated driver.

func live(t *testing.T) cuda.Stream {
	t.Helper()
	if err := cuda.Probe(); err != nil {
		t.Skip(err)
	}
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	fatal.If(t, err)
	t.Cleanup(func() { fatal.If(t, s.Close()) })
	return s
}

func TestLiveCopies(t *testing.T) {
	s := live(t)
	p, err := NewRowPool(poolrt.OnDevice(0))
	fatal.If(t, err)
	a, err := p.Alloc(100)
	fatal.If(t, err)
	want, got := make([]Body, 100), make([]Body, 100)
	for i := range want {
		want[i].Mass = float64(i)
	}
	fatal.If(t, p.CopyToDevice(a, want, s))
	from := a
	if list, err := cuda.Devices(); err == nil && len(list) > 1 {
		q, err := NewRowPool(poolrt.OnDevice(1))
		fatal.If(t, err)
		b, err := q.Alloc(100)
		fatal.If(t, err)
		fatal.If(t, s.Synchronize())
		fatal.If(t, q.CopyPeer(b, a, s))
		fatal.If(t, p.Zero(a, s))
		fatal.If(t, p.CopyPeer(a, b, s))
		fatal.If(t, s.Synchronize())
		fatal.If(t, q.Free(b))
		fatal.If(t, q.Close())
	}
	fatal.If(t, p.CopyToHost(got, from, s))
	if !slices.Equal(got, want) {
		t.Error("the copied items differ")
	}
	fatal.If(t, p.Zero(a, s))
	fatal.If(t, p.CopyToHost(got, a, s))
	if !slices.Equal(got, make([]Body, 100)) {
		t.Error("the block is not clear")
	}
	fatal.If(t, p.Free(a))
	fatal.If(t, p.Close())
}

func TestLiveZero(t *testing.T) {
	s := live(t)
	var row CleanRowPool
	var flow FlowRowPool
	got := make([]byte, 40<<10)
	for range 20 {
		b, err := row.Alloc(len(got))
		fatal.If(t, err)
		fatal.If(t, row.CopyToHost(got, b, s))
		if slices.Max(got) != 0 {
			t.Fatal("the block is not clear")
		}
		fatal.If(t, cuda.MemsetAsync(b.Addr(), 7, b.Bytes(), s))
		fatal.If(t, s.Synchronize())
		fatal.If(t, row.Free(b))
		f, err := flow.AllocOn(len(got), s)
		fatal.If(t, err)
		fatal.If(t, flow.CopyToHost(got, f, s))
		if slices.Max(got) != 0 {
			t.Fatal("not clear on its stream")
		}
		fatal.If(t, cuda.MemsetAsync(f.Addr(), 7, f.Bytes(), s))
		fatal.If(t, flow.FreeOn(f, s))
	}
	fatal.If(t, row.Close())
	fatal.If(t, flow.Close())
}

func TestLiveDriverPool(t *testing.T) {
	live(t)
	var p OwnPool
	fatal.If(t, p.SetDriverAttr(cuda.ReleaseThreshold, 1<<30))
	b, err := p.Alloc(60 << 10)
	fatal.If(t, err)
	stats, err := p.DriverStats()
	fatal.If(t, err)
	if stats.Used < 64<<10 || stats.Reserved < stats.Used {
		t.Errorf("%+v", stats)
	}
	fatal.If(t, p.Free(b))
	fatal.If(t, p.ResetPeaks())
	released, err := p.Trim(0)
	fatal.If(t, err)
	if stats, err = p.DriverStats(); err != nil || released != 64<<10 || stats.Used != 0 || stats.Reserved != 0 {
		t.Errorf("%d released, %+v, %v", released, stats, err)
	}
	if n, err := p.DriverAttr(cuda.ReleaseThreshold); n != 1<<30 || err != nil {
		t.Error(n, err)
	}
	if err := p.SetDriverAttr(cuda.UsedCurrent, 0); err == nil {
		t.Error("an attribute that can only be read was set")
	}
	fatal.If(t, p.Close())
}
