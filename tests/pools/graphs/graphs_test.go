//go:build cudasim

package graphs

import (
	"errors"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// The memory of a block that was freed is used again on its stream, whatever that did with it, and by a stream that comes after it. Others get other memory.
func TestMemoryIsUsedAgain(t *testing.T) {
	kinds(t, func(t *testing.T, s subject) {
		origin, other := rig.Stream(t, 0), rig.Stream(t, 0)
		rig.Check(t, "begin", origin.BeginCaptureWith(s.pools()))
		after(t, other, origin)
		a := rig.Must(s.alloc(origin))
		s.work(t, a, origin)
		rig.Check(t, "free", s.freeOn(a, origin))
		b := rig.Must(s.alloc(origin))
		s.work(t, b, origin)
		if b.Addr() != a.Addr() {
			t.Error("the stream that freed the block gets other memory")
		}
		rig.Check(t, "free", s.freeOn(b, origin))
		c := rig.Must(s.alloc(other))
		s.work(t, c, other)
		if c.Addr() == a.Addr() {
			t.Error("a stream gets memory that another may be using")
		}
		rig.Check(t, "free", s.freeOn(c, other))
		after(t, origin, other)
		d, e := rig.Must(s.alloc(origin)), rig.Must(s.alloc(origin))
		s.work(t, d, origin)
		s.work(t, e, origin)
		if d.Addr() != a.Addr() && d.Addr() != c.Addr() || e.Addr() != a.Addr() && e.Addr() != c.Addr() {
			t.Error("the stream that waited for the other does not get the memory of both")
		}
		rig.Check(t, "free", s.freeOn(d, origin))
		graph := rig.Must(origin.EndCapture())
		p := graph.Private()
		if len(p.Outputs) != 1 || p.Outputs[0].Addr != e.Addr() || p.Outputs[0].Bytes != int64(s.bytes) || p.Outputs[0].Pool != "graphs."+s.name && s.name != "Each" {
			t.Errorf("outputs: %+v", p.Outputs)
		}
		f := s.Stats()
		if f.Graphs != 1 || f.Outputs != 1 || f.Private != p.Bytes || p.Bytes < 2*int64(s.bytes) || f.Reserved < p.Bytes || f.Live != 0 {
			t.Errorf("%+v: %v", p, f)
		}
		for _, on := range []cuda.Stream{origin, other, origin} {
			rig.Check(t, "launch", graph.Launch(on))
		}
		s.ended(t, graph)
	})
}

// Outside the capture nobody gets the memory of a graph, and nobody can free a block there: until the graph is closed, with all that was instantiated from it.
func TestOwnedByTheGraph(t *testing.T) {
	kinds(t, func(t *testing.T, s subject) {
		on := rig.Stream(t, 0)
		rig.Check(t, "begin", on.BeginCaptureWith(s.pools()))
		b := rig.Must(s.alloc(on))
		s.work(t, b, on)
		rig.Refused(t, "free without a stream during the capture", s.Do("Free", b), poolrt.ErrLive)
		graph := rig.Must(on.EndCapture())
		rig.Refused(t, "free", s.Do("Free", b), poolrt.ErrLive)
		rig.Refused(t, "free on a stream", s.freeOn(b, on), poolrt.ErrLive)
		other := rig.Must(s.alloc(on))
		if other.Addr() == b.Addr() {
			t.Error("memory of a graph is handed out")
		}
		rig.Check(t, "free", s.freeOn(other, on))
		one, two := rig.Must(graph.Instantiate()), rig.Must(graph.Instantiate())
		if one.Handle() != two.Handle() {
			t.Error("a graph with private memory is instantiated twice")
		}
		rig.Check(t, "close", graph.Close())
		rig.Refused(t, "close twice", graph.Close(), poolrt.ErrClosed)
		rig.Refused(t, "launch", graph.Launch(on), poolrt.ErrClosed)
		rig.Check(t, "close", two.Close())
		rig.Check(t, "launch", one.Launch(on))
		rig.Refused(t, "pool", s.Do("Close"), poolrt.ErrLive)
		rig.Check(t, "close", one.Close())
		rig.Refused(t, "launch", one.Launch(on), poolrt.ErrClosed)
		rig.Refused(t, "close twice", one.Close(), poolrt.ErrClosed)
		sim.RunAll()
		rig.Check(t, "pool", s.Do("Close"))
	})
}

// A launch under way keeps the memory.
func TestLaunchUnderWay(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // streams do not advance
	p, on := new(TempPool), rig.Stream(t, 0)
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}))
	b := rig.Must(p.AllocOn(1000, on))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on))
	graph := rig.Must(on.EndCapture())
	rig.Check(t, "launch", graph.Launch(on))
	rig.Check(t, "close", graph.Close())
	if p.Poll(); p.Stats().Private == 0 {
		t.Error("the memory went back while the graph was running")
	}
	sim.RunAll()
	if p.Poll(); p.Stats().Private != 0 {
		t.Error("the memory has not gone back")
	}
	rig.Check(t, "close", p.Close())
}

// CloseForce returns the memory of graphs, which can then not be launched.
func TestCloseForce(t *testing.T) {
	kinds(t, func(t *testing.T, s subject) {
		on := rig.Stream(t, 0)
		rig.Check(t, "begin", on.BeginCaptureWith(s.pools()))
		b := rig.Must(s.alloc(on))
		s.work(t, b, on)
		graph := rig.Must(on.EndCapture())
		rig.Check(t, "begin", on.BeginCaptureWith(s.pools()))
		b = rig.Must(s.alloc(on))
		rig.Check(t, "pool", s.Do("CloseForce"))
		rig.Refused(t, "alloc", rig.Second(s.alloc(on)), poolrt.ErrClosed)
		if err := s.freeOn(b, on); err == nil {
			t.Error("a block of a closed pool is freed")
		}
		empty := rig.Must(on.EndCapture())
		rig.Refused(t, "launch", graph.Launch(on), poolrt.ErrClosed)
		rig.Refused(t, "launch", empty.Launch(on), poolrt.ErrClosed)
		rig.Check(t, "close", graph.Close())
		rig.Check(t, "close", empty.Close())
	})
}

// After CloseForce no pool asks whether the graph is gone. What stands for it with the driver goes with the graph all the same: then another has its handle.
func TestOwnerOfClosedPool(t *testing.T) {
	machine := config
	machine.Recycle = true
	rig.Machine(t, machine)
	on := rig.Stream(t, 0)
	capture := func() (g cuda.Graph, owner string) {
		p := new(TempPool)
		rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}))
		b := rig.Must(p.AllocOn(1000, on))
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on))
		for _, l := range sim.Leaks() {
			if rest, ok := strings.CutPrefix(l, "user object "); ok {
				owner = rest
			}
		}
		g = rig.Must(on.EndCapture())
		rig.Check(t, "launch", g.Launch(on))
		rig.Check(t, "wait", on.Synchronize())
		rig.Check(t, "pool", p.CloseForce())
		return g, owner
	}
	g, first := capture()
	rig.Check(t, "close", g.Close())
	g, second := capture()
	rig.Check(t, "close", g.Close())
	if first == "" || first != second {
		t.Errorf("owner %q, then %q", first, second)
	}
}

// A graph that never runs at the same time as another uses its memory again, but not the outputs. A third one that may run beside the second does not.
func TestAfter(t *testing.T) {
	kinds(t, func(t *testing.T, s subject) {
		on := rig.Stream(t, 0)
		capture := func(after ...cuda.Graph) (cuda.Graph, block, block) {
			rig.Check(t, "begin", on.BeginCaptureWith(s.pools(), after...))
			temporary, output := rig.Must(s.alloc(on)), rig.Must(s.alloc(on))
			s.work(t, temporary, on)
			s.work(t, output, on)
			rig.Check(t, "free", s.freeOn(temporary, on))
			return rig.Must(on.EndCapture()), temporary, output
		}
		first, a, out := capture()
		second, b, other := capture(first)
		if b.Addr() != a.Addr() && other.Addr() != a.Addr() {
			t.Error("the memory of the graph before is not used again")
		}
		if b.Addr() == out.Addr() || other.Addr() == out.Addr() {
			t.Error("an output of another graph is used")
		}
		beside, c, another := capture(first)
		for _, x := range []block{c, another} {
			for _, y := range []block{a, out, b, other} {
				if x.Addr() == y.Addr() {
					t.Error("a graph uses memory of one that may run at the same time")
				}
			}
		}
		behind, d, _ := capture(first, second, beside)
		if d.Addr() != a.Addr() && d.Addr() != b.Addr() && d.Addr() != c.Addr() {
			t.Error("the memory of three graphs before is not used again")
		}
		rig.Check(t, "close", first.Close())
		sim.RunAll()
		s.Poll()
		rig.Check(t, "launch", second.Launch(on)) // has the memory still
		rig.Check(t, "launch", behind.Launch(on))
		for _, g := range []cuda.Graph{second, beside} {
			rig.Check(t, "close", g.Close())
		}
		s.ended(t, behind)
	})
}

// What is refused changes nothing.
func TestRefused(t *testing.T) {
	kinds(t, func(t *testing.T, s subject) {
		on, other := rig.Stream(t, 0), rig.Stream(t, 0)
		outside := rig.Must(s.alloc(other))
		rig.Check(t, "begin", on.BeginCapture())
		rig.Refused(t, "alloc in a capture without pools", rig.Second(s.alloc(on)), poolrt.ErrUnsupported)
		rig.Refused(t, "free in a capture without pools", s.freeOn(outside, on), poolrt.ErrUnsupported)
		rig.Check(t, "close", rig.Must(on.EndCapture()).Close())

		rig.Check(t, "begin", on.BeginCaptureWith(s.pools()))
		rig.Check(t, "begin", other.BeginCaptureWith(s.pools()))
		rig.Refused(t, "free of a block from outside", s.freeOn(outside, on), poolrt.ErrUnsupported)
		b := rig.Must(s.alloc(on))
		rig.Refused(t, "free in another capture", s.freeOn(b, other), poolrt.ErrUnsupported)
		rig.Check(t, "free", s.freeOn(b, on))
		rig.Refused(t, "free twice", s.freeOn(b, on), poolrt.ErrDoubleFree)
		inner := rig.Must(other.EndCapture())
		rig.Refused(t, "launch as a part of another graph", inner.Launch(on), poolrt.ErrUnsupported)
		graph := rig.Must(on.EndCapture())
		rig.Check(t, "free", s.freeOn(outside, other))

		far := rig.Stream(t, 1)
		rig.Refused(t, "launch on another device", graph.Launch(far), poolrt.ErrUnsupported)
		if s.name != "Each" {
			rig.Refused(t, "capture on another device", far.BeginCaptureWith(s.pools()), poolrt.ErrUnsupported)
		}
		if capturing, err := far.IsCapturing(); capturing || err != nil {
			t.Errorf("a refused capture has begun: %v", err)
		}
		rig.Check(t, "close", inner.Close())
		s.ended(t, graph)
	})
}

// Pools that take no part: without the key, of no generated type, nil; and drivers that know no objects of graphs.
func TestNoPart(t *testing.T) {
	rig.Machine(t, config)
	on, p := rig.Stream(t, 0), new(TempPool)
	if _, ok := any(new(RefusePool)).(poolrt.Capturer); ok {
		t.Error("a pool with capture: refuse is a Capturer")
	}
	rig.Refused(t, "nil", on.BeginCaptureWith([]poolrt.Capturer{p, nil}), poolrt.ErrUnsupported)
	rig.Refused(t, "another type", on.BeginCaptureWith([]poolrt.Capturer{p, none{}}), poolrt.ErrUnsupported)
	closed := new(TempPool)
	rig.Check(t, "close", closed.Close())
	rig.Refused(t, "closed", on.BeginCaptureWith([]poolrt.Capturer{p, closed}), poolrt.ErrClosed)
	sim.RemoveFunction("cuUserObjectCreate")
	rig.Refused(t, "old driver", on.BeginCaptureWith([]poolrt.Capturer{p}), poolrt.ErrUnsupported)
	if capturing, err := on.IsCapturing(); capturing || err != nil {
		t.Errorf("a refused capture has begun: %v", err)
	}
	rig.Check(t, "close", p.Close())
}

type none struct{}

func (none) CapturePool() any { return nil }

// A capture that is lost gives its memory back: it was invalidated, or its stream was closed.
func TestLostCaptures(t *testing.T) {
	kinds(t, func(t *testing.T, s subject) {
		on := rig.Stream(t, 0)
		rig.Check(t, "begin", on.BeginCaptureWith(s.pools()))
		rig.Must(s.alloc(on))
		if _, err := on.Query(); err == nil {
			t.Error("a captured stream can be queried")
		}
		rig.Refused(t, "alloc in an invalid capture", rig.Second(s.alloc(on)), poolrt.ErrUnsupported)
		if _, err := on.EndCapture(); err == nil {
			t.Error("an invalid capture has a graph")
		}
		short := rig.Must(cuda.Device(0).NewStream())
		rig.Check(t, "begin", short.BeginCaptureWith(s.pools()))
		rig.Must(s.alloc(short))
		rig.Check(t, "close", short.Close())
		if f := s.Stats(); f.Graphs != 0 || f.Private != 0 {
			t.Errorf("there are %d graphs with %d bytes", f.Graphs, f.Private)
		}
		rig.Check(t, "close", s.Do("Close"))
	})
}

// The memory of graphs counts in the limit and the budget. At the limit empty chunks go back, and then another pool of the capture serves the request.
func TestLimit(t *testing.T) {
	rig.Machine(t, config)
	on := rig.Stream(t, 0)
	tight, lender := new(TightPool), &lenderDefault                // which on_exhausted names
	rig.Check(t, "free", tight.Free(rig.Must(tight.Alloc(1<<20)))) // its chunk is empty
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{tight, lender}))
	var blocks []TightSpan
	for range 4 + 8 {
		blocks = append(blocks, rig.Must(tight.AllocOn(1<<20, on)))
	}
	if own, other := tight.Stats(), lender.Stats(); own.Private != 4<<20 || own.Reserved != 4<<20 || other.Private != 8<<20 {
		t.Errorf("%v\n%v", own, other)
	}
	_, err := tight.AllocOn(1<<20, on)
	rig.Refused(t, "alloc", err, poolrt.ErrLimit)
	_, err = tight.AllocOn(5<<20, on)
	rig.Refused(t, "alloc", err, poolrt.ErrTooLarge)
	rig.Refused(t, "limit", tight.SetLimit(3<<20), poolrt.ErrLive)
	for _, b := range blocks {
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on))
		rig.Check(t, "free", tight.FreeOn(b, on))
		if err := tight.FreeOn(b, on); err == nil {
			t.Error("a block is freed twice")
		}
	}
	rig.Must(tight.AllocOn(1<<20, on))
	graph := rig.Must(on.EndCapture())
	rig.Check(t, "launch", graph.Launch(on))
	rig.Check(t, "close", graph.Close())
	sim.RunAll()
	rig.Check(t, "free", tight.Free(rig.Must(tight.Alloc(4<<20)))) // the memory of the graph is the pool's again
	rig.Check(t, "close", errors.Join(tight.Close(), rig.Second(lender.Trim(0))))
}

// Three blocks of 60 MiB, one after the other, take the memory of one.
func TestOneAfterTheOther(t *testing.T) {
	rig.Machine(t, config)
	on, p := rig.Stream(t, 0), new(PagePool)
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}))
	for range 3 {
		b := rig.Must(p.AllocOn(60<<20, on))
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on))
		rig.Check(t, "free", p.FreeOn(b, on))
	}
	graph := rig.Must(on.EndCapture())
	if n := graph.Private().Bytes; n != 60<<20 {
		t.Errorf("%d bytes", n)
	}
	subject{rig.SubjectOf(p), "Page", 0}.ended(t, graph)
}

// A graph with memory of a pool asleep is not launched.
func TestAsleep(t *testing.T) {
	rig.Machine(t, config)
	on, p := rig.Stream(t, 0), new(PagePool)
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}))
	b := rig.Must(p.AllocOn(1000, on))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 7, b.Bytes(), on))
	rig.Refused(t, "sleep during a capture", p.Sleep(t.Context()), poolrt.ErrUnsupported)
	graph := rig.Must(on.EndCapture())
	rig.Check(t, "sleep", p.Sleep(t.Context()))
	rig.Refused(t, "launch", graph.Launch(on), poolrt.ErrAsleep)
	rig.Refused(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}), poolrt.ErrAsleep)
	rig.Check(t, "wake", p.Wake(t.Context()))
	rig.Check(t, "launch", graph.Launch(on))
	subject{rig.SubjectOf(p), "Page", 0}.ended(t, graph)
}

// With zero: always, each launch clears the block anew.
func TestClear(t *testing.T) {
	rig.Machine(t, config)
	on, p := rig.Stream(t, 0), new(ClearPool)
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}))
	b := rig.Must(p.AllocOn(1000, on))
	back := make([]byte, 1000)
	graph := rig.Must(on.EndCapture())
	for range 2 {
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 7, b.Bytes(), on))
		rig.Check(t, "launch", graph.Launch(on))
		rig.Check(t, "wait", on.Synchronize())
		rig.Check(t, "copy", cuda.CopyToHost(back, b.Addr()))
		for _, x := range back {
			if x != 0 {
				t.Fatal("the block is not clear")
			}
		}
	}
	subject{rig.SubjectOf(p), "Clear", 0}.ended(t, graph)
}

// Owners, batches, aligned blocks and blocks with a context take part as well.
func TestRelatives(t *testing.T) {
	rig.Machine(t, config)
	on, p, items := rig.Stream(t, 0), new(TempPool), new(ItemPool)
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p, items, p}))
	aligned := rig.Must(p.AllocAlignedOn(1000, 1<<16, on))
	if aligned.Addr()%(1<<16) != 0 {
		t.Error("not aligned")
	}
	rig.Check(t, "free", p.FreeOn(aligned, on))
	rig.Check(t, "free", p.FreeOn(rig.Must(p.AllocContextOn(t.Context(), 1000, on)), on))
	owner := rig.Must(p.AllocRefOn(1000, on))
	rig.Check(t, "release", owner.Release())
	rig.Check(t, "with", p.WithOn(1000, on, func(TempSpan) error { return nil }))
	batch := make([]ItemPtr, 300)
	if n := rig.Must(items.AllocBatchOn(batch, on)); n != 300 {
		t.Error(n)
	}
	rig.Check(t, "free", items.FreeBatchOn(batch, on))
	rig.Refused(t, "free twice", items.FreeBatchOn(batch, on), poolrt.ErrDoubleFree)
	if p.Stats().Outputs+items.Stats().Outputs != 0 {
		t.Error("blocks are left")
	}
	_, err := p.AllocOn(0, on)
	rig.Refused(t, "no items", err, poolrt.ErrBadSize)
	rig.Check(t, "close", rig.Must(on.EndCapture()).Close())
	rig.Check(t, "close", errors.Join(p.Close(), items.Close()))
}
