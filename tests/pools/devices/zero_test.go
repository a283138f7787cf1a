//go:build cudasim

package devices

import (
	"context"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// dirty is the byte that fills blocks between uses.
const dirty = 0xA5

// wantZero checks that memory of a device is clear now, for any stream.
func wantZero(t *testing.T, what string, p cuda.DevicePtr, n int64) {
	t.Helper()
	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	got := make([]byte, n)
	rig.Check(t, what, cuda.CopyToHostAsync(got, p, s))
	if slices.ContainsFunc(got, func(b byte) bool { return b != 0 }) {
		t.Errorf("%s is not clear", what)
	}
	rig.Check(t, what, cuda.MemsetAsync(p, dirty, n, s))
	rig.Check(t, what, s.Synchronize())
	rig.Check(t, what, s.Close())
}

func TestZeroItems(t *testing.T) {
	machine(t, sim.Config{})
	p := new(CleanPool)
	rig.Closing(t, p)
	const bytes = int64(cleanItemSize)
	var all []CleanPtr
	for range 2 { // new memory, and then used memory
		all = all[:0]
		for range 20 {
			all = append(all, rig.Must(p.Alloc()))
			c, ok := p.TryAlloc()
			if !ok {
				t.Fatal("no cases")
			}
			all = append(all, c, rig.Must(p.AllocContext(context.Background())))
		}
		batch := make([]CleanPtr, 300) // more than fit
		rig.Must(p.AllocBatch(batch))
		all = append(all, batch...)
		for _, c := range all {
			wantZero(t, "item", c.Addr(), bytes)
		}
		rig.Check(t, "free", p.FreeBatch(all))
	}
	for _, f := range []string{"cuMemsetD8Async", "cuStreamSynchronize"} {
		for what, take := range map[string]func() error{
			"alloc":   func() error { return rig.Second(p.Alloc()) },
			"context": func() error { return rig.Second(p.AllocContext(context.Background())) },
			"ref":     func() error { return rig.Second(p.AllocRef()) },
			"batch":   func() error { return rig.Second(p.AllocBatch(make([]CleanPtr, 10))) },
		} {
			nth := 1
			if what == "batch" && f == "cuMemsetD8Async" {
				nth = 7
			}
			sim.Fail(f, nth, 1)
			err := take()
			if e := rig.As[*cuda.Error](t, err); "cu"+e.Op != f {
				t.Errorf("%s: %v", what, err)
			}
			if n := p.Stats().Live; n != 0 {
				t.Fatalf("%s: %d blocks are lost when %s fails", what, n, f)
			}
		}
		sim.Fail(f, 1, 1)
		if _, ok := p.TryAlloc(); ok || p.Stats().Live != 0 {
			t.Errorf("try: %v, %d live", ok, p.Stats().Live)
		}
	}
	rig.Must(p.Trim(0))
}

// The blocks of a batch are cleared together: the program waits once, however many there are and whatever chunks they are in.
func TestZeroBatch(t *testing.T) {
	machine(t, sim.Config{})
	p := new(CleanPool)
	rig.Closing(t, p)
	batch := make([]CleanPtr, 1500)
	for what, n := range []int{len(batch), len(batch), 0} { // new, used, none
		clears, waits := sim.Calls("cuMemsetD8Async"), sim.Calls("cuStreamSynchronize")
		rig.Must(p.AllocBatch(batch[:n]))
		if clears, waits = sim.Calls("cuMemsetD8Async")-clears, sim.Calls("cuStreamSynchronize")-waits; (clears != n || waits != min(n, 1)) && !poolrt.Debug { // which also fills blocks

			t.Errorf("batch %d: %d blocks are cleared %d times and waited for %d times", what, n, clears, waits)
		}
		rig.Check(t, "free", p.FreeBatch(batch[:n]))
	}
	if n := p.Stats().Chunks; n < 2 {
		t.Errorf("%d chunks", n)
	}
}

func TestZeroRows(t *testing.T) {
	machine(t, sim.Config{})
	p := new(CleanRowPool)
	rig.Closing(t, p)
	for range 3 {
		blocks := []CleanRowSpan{rig.Must(p.Alloc(1000)), rig.Must(p.AllocAligned(5000, 4096)), rig.Must(p.AllocContext(context.Background(), 77))}
		if b, ok := p.TryAlloc(300); ok {
			blocks = append(blocks, b)
		}
		for _, b := range blocks {
			wantZero(t, "row", b.Addr(), b.Bytes())
			rig.Check(t, "free", p.Free(b))
		}
	}
	sim.Fail("cuMemsetD8Async", 1, 1)
	if _, err := p.Alloc(10); err == nil || p.Stats().Live != 0 || p.Stats().Failures != 1 {
		t.Errorf("%v: %+v", err, p.Stats())
	}
	wantRow := rig.Must(p.Alloc(10))
	wantZero(t, "after a failure", wantRow.Addr(), 10)
	rig.Check(t, "free", p.Free(wantRow))
}

func TestZeroPages(t *testing.T) {
	machine(t, sim.Config{})
	p := new(CleanPagePool)
	rig.Closing(t, p)
	for range 3 {
		for n := 1; n < 4000; n *= 3 {
			b := rig.Must(p.Alloc(n))
			wantZero(t, "page", b.Addr(), b.Bytes())
		}
		rig.Check(t, "reset", p.Reset())
	}
	sim.Fail("cuMemsetD8Async", 1, 1)
	if _, err := p.Alloc(10); err == nil {
		t.Error("the failure is not returned")
	}
}

// Blocks that Go code can address are cleared by Go code.
func TestZeroHost(t *testing.T) {
	machine(t, sim.Config{})
	stage, both := new(CleanStagePool), new(CleanBothPool)
	rig.Closing(t, stage)
	rig.Closing(t, both)
	for range 2 {
		b := rig.Must(stage.Alloc(1000))
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("byte %d is %#x", i, b[i])
			}
			b[i] = dirty
		}
		rig.Check(t, "free", stage.Free(b))
		c := rig.Must(both.Alloc())
		if *c != (Body{}) {
			t.Fatalf("%+v", *c)
		}
		c.Mass = 1
		rig.Check(t, "free", both.Free(c))
	}
	if sim.Calls("cuMemsetD8Async")+sim.Calls("cuMemsetD8") > 0 {
		t.Error("the driver was called")
	}
}
