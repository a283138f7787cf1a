//go:build cudasim

package streams

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// handOut queues work on a block that was allocated on a stream.
func handOut(t *testing.T, addr cuda.DevicePtr, bytes int64, s cuda.Stream) {
	t.Helper()
	rig.Check(t, "hand out", sim.HandOut(addr, bytes, sim.On(s)))
	rig.Check(t, "work", cuda.MemsetAsync(addr, 1, bytes, s))
}

// An aligned block may be one that its stream freed. One that is not aligned stays in its place.
func TestAllocAlignedOn(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p, s := new(pools.HeapPool), rig.Stream(t, 0)
	const align = 4096
	first := rig.Must(p.AllocAlignedOn(100, align, s))
	handOut(t, first.Addr(), first.Bytes(), s)
	rig.Check(t, "take back", sim.TakeBack(first.Addr(), first.Bytes(), sim.On(s)))
	rig.Check(t, "free", p.FreeOn(first, s))
	again := rig.Must(p.AllocAlignedOn(100, align, s))
	if again != first && !poolrt.Debug { // the quarantine keeps the block
		t.Errorf("the block at %#x was freed on the stream, and the next is at %#x", first.Addr(), again.Addr())
	}
	odd := rig.Must(p.AllocOn(100, s))
	rig.Check(t, "free", p.FreeOn(odd, s))
	other := rig.Must(p.AllocAlignedOn(100, align, s))
	if other.Addr()%align != 0 || odd.Addr()%align == 0 {
		t.Errorf("blocks at %#x and %#x, the first of any alignment", odd.Addr(), other.Addr())
	}
	if n := p.Stats().Pending; n != 1 && !poolrt.Debug {
		t.Errorf("%d frees are pending, want 1", n)
	}
	for _, align := range []int{0, -8, 3, 1 << 20} {
		if _, err := p.AllocAlignedOn(1, align, s); !errors.Is(err, poolrt.ErrBadAlignment) {
			t.Errorf("alignment %d: %v", align, err)
		}
	}
	rig.Check(t, "close", p.CloseForce())
}

// A block that several streams use is freed on a stream that waits for them all: nobody has it before all have passed, and none of them waits for another.
func TestFreeAfterSeveralStreams(t *testing.T) {
	for _, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 2})
			var on []cuda.Stream
			for _, d := range []cuda.Device{0, 0, 1} {
				on = append(on, rig.Stream(t, d))
			}
			last := rig.Stream(t, 0)
			b := rig.Must(s.Alloc(1000))
			for _, s := range on {
				rig.Check(t, "work", sim.Work(s))
			}
			rig.Check(t, "wait", last.WaitFor(on...))
			rig.Check(t, "free", s.FreeOn(b, last))
			for i, one := range []cuda.Stream{on[1], on[2], on[0], last} {
				s.Pool.Poll()
				if n := s.Pool.Stats().Pending; n != 1 && !s.byDriver() || rig.Must(last.Query()) {
					t.Errorf("after %d streams %d frees are pending", i, n)
				}
				rig.Check(t, "run", sim.Run(one)) // it would run those that it waits for as well
				if i < 2 && rig.Must(on[0].Query()) {
					t.Error("a stream was made to wait for another")
				}
			}
			s.Pool.Poll()
			s.Pool.Poll()
			if n := s.Pool.Stats().Pending; n != 0 {
				t.Errorf("%d frees are pending", n)
			}
			rig.Check(t, "close", s.Pool.Close())
		})
	}
}

// A batch on a stream takes what the stream has freed, without a call of the driver.
func TestBatchOn(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p, s := new(pools.CellPool), rig.Stream(t, 0)
	cells := make([]pools.CellPtr, 16) // as many as the limit allows
	if n, err := p.AllocBatchOn(cells, s); n != len(cells) || err != nil {
		t.Fatalf("%d blocks, %v", n, err)
	}
	before := slices.Sorted(slices.Values(cells))
	var last int
	for turn := range 10 {
		for _, c := range cells {
			handOut(t, c.Addr(), 256, s)
			rig.Check(t, "take back", sim.TakeBack(c.Addr(), 256, sim.On(s)))
		}
		rig.Check(t, "free", p.FreeBatchOn(cells, s))
		if st := p.Stats(); st.Live != 0 || st.Pending != 16 && !poolrt.Debug {
			t.Errorf("after the batch was freed: %+v", st)
		}
		if n, err := p.AllocBatchOn(cells, s); n != len(cells) || err != nil {
			t.Fatalf("turn %d: %d blocks, %v", turn, n, err)
		}
		if turn > 0 && calls() != last && !poolrt.Debug {
			t.Errorf("%d calls of the driver", calls()-last)
		}
		last = calls()
	}
	if got := slices.Sorted(slices.Values(cells)); !slices.Equal(got, before) {
		t.Errorf("blocks %v, first %v", got, before)
	}
	rig.Check(t, "free", p.FreeBatchOn(cells, s))
	sim.RunAll()
	rig.Check(t, "close", p.Close())
}

// A batch that does not fit clears dst. The blocks that it had found stay those of the stream: others do not get them before it has passed.
func TestBatchOnThatDoesNotFit(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p, s := new(pools.CellPool), rig.Stream(t, 0)
	cells := make([]pools.CellPtr, 17)
	if _, err := p.AllocBatchOn(cells[:16], s); err != nil {
		t.Fatal(err)
	}
	for _, c := range cells[:16] {
		handOut(t, c.Addr(), 256, s)
		rig.Check(t, "take back", sim.TakeBack(c.Addr(), 256, sim.On(s)))
	}
	rig.Check(t, "free", p.FreeBatchOn(cells[:16], s))
	n, err := p.AllocBatchOn(cells, s)
	if n != 0 || !errors.Is(err, poolrt.ErrLimit) {
		t.Fatalf("%d blocks, %v", n, err)
	}
	if slices.Max(cells) != 0 {
		t.Errorf("dst is %v", cells)
	}
	if st := p.Stats(); st.Live != 0 || st.Pending != 16 {
		t.Errorf("after the failure: %+v", st)
	}
	if c, err := p.Alloc(); err == nil { // the stream has not advanced
		t.Errorf("an allocation without a stream got %#x, which the stream uses", c.Addr())
	}
	sim.RunAll()
	p.Poll()
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc())))
	rig.Check(t, "close", p.Close())
}

// FreeBatchOn frees what it can, and refuses the rest as Free does. Epochs fill up in the middle of a batch.
func TestFreeBatchOn(t *testing.T) {
	for _, name := range []string{"cell", "cell sharded", "cell with magazines"} {
		t.Run(name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: 7})
			s := rig.Stream(t, 0)
			switch name {
			case "cell":
				freeBatch(t, new(pools.CellPool), s)
			case "cell sharded":
				freeBatch(t, new(pools.CellShardPool), s)
			default:
				freeBatch(t, new(pools.CellKeptPool), s)
			}
		})
	}
}

func freeBatch[C ~uint64](t *testing.T, p interface {
	Whole
	AllocBatchOn([]C, cuda.Stream) (int, error)
	FreeBatchOn([]C, cuda.Stream) error
}, s cuda.Stream) {
	cells := make([]C, 16)
	for range 20 { // 320 frees, some epochs
		if _, err := p.AllocBatchOn(cells, s); err != nil {
			t.Fatal(err)
		}
		rig.Check(t, "free", p.FreeBatchOn(cells, s))
	}
	if _, err := p.AllocBatchOn(cells, s); err != nil {
		t.Fatal(err)
	}
	wrong := slices.Concat(cells[:8], []C{cells[0], 12345}, cells[8:])
	err := p.FreeBatchOn(wrong, s)
	if !errors.Is(err, poolrt.ErrDoubleFree) || !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("a block twice and one of nowhere: %v", err)
	}
	if st := p.Stats(); st.Live != 0 {
		t.Errorf("%d blocks are live", st.Live)
	}
	rig.Check(t, "free nothing", p.FreeBatchOn(nil, s))
	if _, err := p.AllocBatchOn(nil, s); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
	sim.RunAll()
	rig.Check(t, "close", p.Close())
	rig.Refused(t, "after Close", p.FreeBatchOn(cells, s), poolrt.ErrClosed)
}

// WithOn frees its block on the stream, also if f fails or panics.
func TestWithOn(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p, s := new(pools.HeapPool), rig.Stream(t, 0)
	failed := errors.New("f failed")
	use := func(result error) error {
		return p.WithOn(1000, s, func(b pools.HeapSpan) error {
			rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
			return result
		})
	}
	rig.Check(t, "with", use(nil))
	if st := p.Stats(); st.Live != 0 || st.Pending != 1 {
		t.Errorf("afterwards: %+v", st)
	}
	if err := use(failed); err != failed {
		t.Errorf("the error of f comes back as %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = p.WithOn(1000, s, func(pools.HeapSpan) error { panic("f") })
	}()
	if st := p.Stats(); st.Live != 0 {
		t.Errorf("after a panic: %+v", st)
	}
	rig.Refused(t, "no function", p.WithOn(1000, s, nil), poolrt.ErrNoFunc)
	cell := new(pools.CellPool)
	rig.Check(t, "with an item", cell.WithOn(s, func(c pools.CellPtr) error { return cuda.MemsetAsync(c.Addr(), 1, 256, s) }))
	if st := cell.Stats(); st.Live != 0 || st.Pending != 1 {
		t.Errorf("afterwards: %+v", st)
	}
	sim.RunAll()
	rig.Check(t, "close", p.Close())
	rig.Check(t, "close", cell.Close())
}

// AllocContextOn waits for a free until its context ends.
func TestAllocContextOn(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
	p, s := new(pools.CellPool), rig.Stream(t, 0)
	cells := make([]pools.CellPtr, 16)
	if _, err := p.AllocBatchOn(cells, s); err != nil {
		t.Fatal(err)
	}
	if _, err := p.AllocContextOn(patience(), s); !errors.Is(err, context.Canceled) || !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("at the limit: %v", err)
	}
	freed := make(chan error)
	go func() { freed <- p.Free(cells[3]) }()
	if c, err := p.AllocContextOn(context.Background(), s); err != nil || c != cells[3] && !poolrt.Debug {
		t.Errorf("%#x, %v; freed was %#x", c.Addr(), err, cells[3].Addr())
	}
	rig.Check(t, "free", <-freed)
	rig.Check(t, "close", p.CloseForce())
}

// On a stream that is being captured, the calls are refused and change nothing.
func TestCallsOnACapture(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
	heap, cell, s := new(pools.HeapPool), new(pools.CellPool), rig.Stream(t, 0)
	c := rig.Must(cell.Alloc())
	rig.Check(t, "begin", s.BeginCapture())
	dst := []pools.CellPtr{7, 7}
	_, err := cell.AllocBatchOn(dst, s)
	unsupported(t, "batch", err)
	if slices.Max(dst) != 0 {
		t.Errorf("dst is %v", dst)
	}
	unsupported(t, "free of a batch", cell.FreeBatchOn([]pools.CellPtr{c}, s))
	unsupported(t, "with an item", cell.WithOn(s, func(pools.CellPtr) error { return nil }))
	unsupported(t, "item with a context", rig.Second(cell.AllocContextOn(context.Background(), s)))
	unsupported(t, "aligned", rig.Second(heap.AllocAlignedOn(1, 64, s)))
	unsupported(t, "with a context", rig.Second(heap.AllocContextOn(context.Background(), 1, s)))
	unsupported(t, "with", heap.WithOn(1, s, func(pools.HeapSpan) error { return nil }))
	if live, none := cell.Stats().Live, heap.Stats().Live; live != 1 || none != 0 {
		t.Errorf("%d and %d live blocks, want 1 and 0", live, none)
	}
	rig.Must(s.EndCapture()).Close()
	rig.Check(t, "free", cell.FreeBatchOn([]pools.CellPtr{c}, s))
	rig.Check(t, "close", cell.Close())
	rig.Check(t, "close", heap.Close())
}
