//go:build cudasim

package graphs

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

var config = sim.Config{Devices: 2, Capacity: 256 << 20, Schedule: 1}

// block is a block of any of these pools.
type block interface{ Addr() cuda.DevicePtr }

// subject is a pool, with the number of bytes that its blocks have.
type subject struct {
	rig.Subject
	name  string
	bytes int
}

// subjects makes all pools that take part in captures, but those of a limit.
func subjects() []subject {
	const bytes = 100_000
	return []subject{
		{rig.SubjectOf(new(TempPool)), "Temp", bytes}, {rig.SubjectOf(new(PagePool)), "Page", bytes}, {rig.SubjectOf(new(PiecePool)), "Piece", bytes},
		{rig.SubjectOf(new(ItemPool)), "Item", 256}, {rig.SubjectOf(new(SpreadPool)), "Spread", 256},
		{rig.SubjectOf(new(WholePool)), "Whole", bytes}, {rig.SubjectOf(new(RingPool)), "Ring", bytes},
		{rig.SubjectOf(new(SlabPool)), "Slab", bytes}, {rig.SubjectOf(new(AlonePool)), "Alone", bytes},
		{rig.SubjectOf(new(AsyncPool)), "Async", bytes}, {rig.SubjectOf(new(OrderPool)), "Order", bytes},
		{rig.SubjectOf(new(ClearPool)), "Clear", bytes}, {rig.SubjectOf(new(EachPool)), "Each", bytes},
	}
}

// kinds runs a test with each of them, on a machine.
func kinds(t *testing.T, run func(*testing.T, subject)) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			rig.Machine(t, config)
			run(t, s)
		})
	}
}

// pools makes the list of one pool for BeginCaptureWith.
func (s subject) pools() []poolrt.Capturer { return []poolrt.Capturer{s.Interface().(poolrt.Capturer)} }

// alloc allocates a block on a stream.
func (s subject) alloc(on cuda.Stream) (block, error) {
	b, err := s.Take("AllocOn", s.bytes, on)
	if err != nil {
		return nil, err
	}
	return b.(block), nil
}

// freeOn frees a block on a stream.
func (s subject) freeOn(b block, on cuda.Stream) error { return s.Do("FreeOn", b, on) }

// work writes all of a block on a stream.
func (s subject) work(t *testing.T, b block, on cuda.Stream) {
	t.Helper()
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, int64(s.bytes), on))
}

// after makes a stream wait for another.
func after(t *testing.T, s, other cuda.Stream) {
	t.Helper()
	e := rig.Must(cuda.Device(0).NewEvent())
	rig.Check(t, "record", e.Record(other))
	rig.Check(t, "wait", s.Wait(e))
	rig.Check(t, "close", e.Close())
}

// ended closes a graph, and checks that the pool has its memory back.
func (s subject) ended(t *testing.T, g cuda.Graph) {
	t.Helper()
	rig.Check(t, "close", g.Close())
	sim.RunAll()
	s.Poll()
	if f := s.Stats(); f.Graphs != 0 || f.Private != 0 || f.Outputs != 0 {
		t.Errorf("the graph is gone, and there are %d graphs with %d bytes and %d outputs", f.Graphs, f.Private, f.Outputs)
	}
	rig.Check(t, "close", s.Do("Close"))
}
