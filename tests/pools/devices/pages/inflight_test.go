//go:build cudasim

package pages

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// stalledStreams makes a machine whose streams do not advance, and some of its streams.
func stalledStreams(t *testing.T, streams int) (list []cuda.Stream) {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 64 << 20})
	for range streams {
		list = append(list, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
	}
	t.Cleanup(func() {
		for _, s := range list {
			rig.Check(t, "close", s.Close())
		}
	})
	return list
}

// flow has the methods that the tests need of a pool in the order of streams.
type flow[S span] interface {
	pool[S]
	AllocOn(n int, s cuda.Stream) (S, error)
	FreeOn(b S, s cuda.Stream) error
	Poll() int
	CloseForce() error
}

// beside makes the pool grow by memory that no stream uses, next to memory that a stream uses.
func beside[S span](t *testing.T, p flow[S]) {
	s := stalledStreams(t, 1)[0]
	work := func(b S) S {
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
		return b
	}
	rig.Check(t, "free", p.FreeOn(work(rig.Must(p.AllocOn(3*page, s))), s))
	rig.Check(t, "free", p.FreeOn(work(rig.Must(p.AllocOn(page, s))), s)) // in blocks of another size: all three ranges are in flight
	b := rig.Must(p.Alloc(2 * page))
	mapped(t, b, true)
	rig.Check(t, "free", p.Free(b))
	if s := p.Stats(); s.Pending == 0 {
		t.Error("the host waited for the stream")
	}
	rig.Check(t, "wait", s.Synchronize())
	rig.Check(t, "close", p.Close())
}

func TestGrowthNextToInFlightMemory(t *testing.T) {
	t.Run("kept", func(t *testing.T) { beside(t, new(FlowPool)) })
	t.Run("sharded", func(t *testing.T) { beside(t, new(ManyFlowPool)) })
	t.Run("given back", func(t *testing.T) { beside(t, new(QuickFlowPool)) })
}

// crowd allocates and frees blocks of a nearly full pool on streams that do not advance, and on the host. The simulator looks for unordered uses.
func crowd[S span](t *testing.T, p flow[S], seed uint64) {
	on := stalledStreams(t, 3)
	r := rand.New(rand.NewPCG(seed, 5))
	var held []S
	for range 300 {
		s := on[r.IntN(len(on))]
		k := 0
		if len(held) > 0 {
			k = r.IntN(len(held))
		}
		switch x := r.IntN(20); {
		case x < 6:
			if b, err := p.AllocOn(1+r.IntN(4*page), s); err == nil {
				rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
				rig.Check(t, "free", p.FreeOn(b, s))
			}
		case x < 11:
			if b, err := p.Alloc(1 + r.IntN(4*page)); err == nil {
				rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
				rig.Check(t, "wait", s.Synchronize())
				held = append(held, b)
			}
		case x < 19 && len(held) > 0:
			rig.Check(t, "work", cuda.MemsetAsync(held[k].Addr(), 1, held[k].Bytes(), s))
			rig.Check(t, "free", p.FreeOn(held[k], s))
			held = append(held[:k], held[k+1:]...)
		default:
			rig.Must(p.Trim(int64(r.IntN(8)) * page))
		}
	}
	for _, b := range held {
		rig.Check(t, "free", p.Free(b))
	}
	rig.Check(t, "close", p.Close())
}

func TestCrowdedPages(t *testing.T) {
	for seed := range uint64(40) {
		t.Run("kept", func(t *testing.T) { crowd(t, new(FlowPool), seed) })
		t.Run("moving", func(t *testing.T) { crowd(t, new(MovingPool), seed) })
		t.Run("sharded", func(t *testing.T) { crowd(t, new(ManyMovingPool), seed) })
		t.Run("given back", func(t *testing.T) { crowd(t, new(QuickFlowPool), seed) })
	}
}

// withoutWaits makes the driver fail to order streams: a pool must not retry that forever.
func withoutWaits[S span](t *testing.T, p flow[S]) {
	on := stalledStreams(t, 2)
	for _, n := range []int{3 * page, page} {
		b := rig.Must(p.AllocOn(n, on[0]))
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on[0]))
		rig.Check(t, "free", p.FreeOn(b, on[0]))
	}
	sim.Fail("cuStreamWaitEvent", 0, outOfMemory)
	for range 6 {
		rig.Must(p.AllocOn(2*page, on[1]))
	}
	rig.Refused(t, "alloc", rig.Second(p.AllocOn(2*page, on[1])), poolrt.ErrLimit)
	sim.Fail("cuStreamWaitEvent", 0, 0)
	rig.Must(p.AllocOn(2*page, on[1]))
	for _, s := range on {
		rig.Check(t, "wait", s.Synchronize())
	}
	rig.Check(t, "close", p.CloseForce())
}

func TestPagesWithoutWaits(t *testing.T) {
	t.Run("kept", func(t *testing.T) { withoutWaits(t, new(FlowPool)) })
	t.Run("sharded", func(t *testing.T) { withoutWaits(t, new(ManyFlowPool)) })
	t.Run("given back", func(t *testing.T) { withoutWaits(t, new(QuickFlowPool)) })
}

// Memory that a stream may use is not returned before the stream has passed.
func TestPagesGoBehindTheStream(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1}) // streams do not advance
	p := new(QuickFlowPool)
	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	b := rig.Must(p.AllocOn(3*page, s))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	rig.Check(t, "free", p.FreeOn(b, s))
	p.Poll()
	reserved(t, p, 3)
	again := rig.Must(p.AllocOn(page, s)) // at once, at the stream's own address
	rig.Check(t, "work", cuda.MemsetAsync(again.Addr(), 2, again.Bytes(), s))
	rig.Must(p.Trim(0))
	rig.Check(t, "wait", s.Synchronize())
	p.Poll()
	reserved(t, p, 1)
	mapped(t, again, true)
	rig.Check(t, "free", p.FreeOn(again, s))
	sim.RunAll()
	p.Poll()
	reserved(t, p, 0)
	rig.Check(t, "close", p.Close())
	rig.Check(t, "close", s.Close())
}
