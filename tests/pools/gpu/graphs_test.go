//go:build !cudasim

package gpu

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

// spans hands out device memory on streams, and takes part in captures.
type spans[S held] interface {
	poolrt.Capturer
	AllocOn(n int, s cuda.Stream) (S, error)
	FreeOn(block S, s cuda.Stream) error
	Poll() int
	Stats() poolrt.Stats
	Close() error
}

type held interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// filled is a block that holds a value.
type filled[S held] struct {
	block S
	on    int
	value byte
}

// recorder captures random work on streams. Each block is filled by its first kernel, and verified by the last one before it is freed.
type recorder[S held] struct {
	*lab
	pool    spans[S]
	rand    *rand.Rand
	streams []cuda.Stream
	joins   cuda.Event
	live    []filled[S]
	bytes   int64 // of live blocks
	peak    int64
}

// join makes a stream wait for another.
func (r *recorder[S]) join(s, other int) {
	r.ok("record", r.joins.Record(r.streams[other]))
	r.ok("wait", r.streams[s].Wait(r.joins))
}

// step captures one operation: of ten, one allocates, one frees, one makes a stream wait for another, and the others work.
func (r *recorder[S]) step() {
	n, s := r.rand.IntN(10), r.rand.IntN(len(r.streams))
	switch {
	case n == 0 || len(r.live) == 0:
		b, err := r.pool.AllocOn(1<<10+r.rand.IntN(4<<20), r.streams[s])
		r.ok("alloc", err)
		f := filled[S]{b, s, byte(r.rand.IntN(256))}
		r.write(b.Addr(), b.Bytes(), f.value, r.streams[s])
		r.live = append(r.live, f)
		r.bytes += b.Bytes()
		r.peak = max(r.peak, r.bytes)
	case n == 1:
		i := r.rand.IntN(len(r.live))
		f := r.live[i]
		r.expect(f.block.Addr(), f.block.Bytes(), f.value, r.streams[f.on])
		r.ok("free", r.pool.FreeOn(f.block, r.streams[f.on]))
		r.live[i] = r.live[len(r.live)-1]
		r.live = r.live[:len(r.live)-1]
		r.bytes -= f.block.Bytes()
	case n == 2:
		r.join(s, r.rand.IntN(len(r.streams)))
	default:
		f := r.live[r.rand.IntN(len(r.live))]
		r.expect(f.block.Addr(), 64, f.value, r.streams[f.on])
	}
}

// record captures so many operations.
func record[S held](l *lab, p spans[S], streams, operations int) (*recorder[S], cuda.Graph) {
	r := &recorder[S]{lab: l, pool: p, rand: rand.New(rand.NewPCG(1, 7)), streams: l.streams(streams)}
	var err error
	r.joins, err = l.device.NewEvent()
	l.ok("event", err)
	l.ok("begin", r.streams[0].BeginCaptureWith([]poolrt.Capturer{p}))
	for i := range streams {
		r.join(i, 0)
	}
	for range operations {
		r.step()
	}
	for i := range streams {
		r.join(0, i)
	}
	g, err := r.streams[0].EndCapture()
	l.ok("end", err)
	l.ok("close", r.joins.Close())
	return r, g
}

// Kernels of graphs find in their blocks what was written there, in all launches, whatever runs side by side; and the memory goes back with the graph.
func TestGraphs(t *testing.T) {
	for _, size := range []struct{ streams, operations int }{{2, 1000}, {4, 1000}, {2, 10_000}} {
		graphs(newLab(t, 0), new(pools.GraphPool), size.streams, size.operations)
		whole, err := pools.NewGraphPool(poolrt.WithChunkSize(4 << 20)) // as long as the longest block
		fatal.If(t, err)
		graphs(newLab(t, 0), whole, size.streams, size.operations)
		graphs(newLab(t, 0), new(pools.GraphPagePool), size.streams, size.operations)
	}
}

func graphs[S held](l *lab, p spans[S], streams, operations int) {
	l.Helper()
	l.clocks = 2000
	r, g := record(l, p, streams, operations)
	private := g.Private()
	l.Logf("%d streams, %d operations: %d bytes live at the peak, %d of the graph: %.2f times as many", streams, operations, r.peak, private.Bytes,
		float64(private.Bytes)/float64(r.peak))
	if private.Bytes > 2*r.peak || len(private.Outputs) != len(r.live) {
		l.Errorf("%d bytes for %d live at the peak, %d outputs of %d", private.Bytes, r.peak, len(private.Outputs), len(r.live))
	}
	exec, err := g.Instantiate()
	l.ok("instantiate", err)
	l.ok("close", g.Close())
	for i := range 10 {
		l.ok("launch", exec.Launch(r.streams[i%streams]))
	}
	l.ok("wait", l.device.Synchronize()) // a launch under way may use the places of outputs for temporaries
	for _, f := range r.live {           // the outputs hold what the graph has left there
		l.expect(f.block.Addr(), f.block.Bytes(), f.value, r.streams[0])
	}
	l.ok("launch", exec.Launch(r.streams[0]))
	l.ok("close", exec.Close()) // with a launch under way
	l.ok("wait", l.device.Synchronize())
	if n := l.errors(); n > 0 {
		l.Errorf("%d bytes were wrong", n)
	}
	closed(l, p)
}

// closed closes the pool of a graph that was closed. A thread of the driver ends the graph.
func closed[S held](l *lab, p spans[S]) {
	l.Helper()
	for range 1000 {
		if p.Poll(); p.Stats().Private == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	l.ok("close", p.Close())
}

// Three blocks of a GiB, one after the other, take the memory of one.
func TestGraphOfLargeBlocks(t *testing.T) {
	l, p := newLab(t, 0), new(pools.GraphPagePool)
	s := l.streams(1)[0]
	l.ok("begin", s.BeginCaptureWith([]poolrt.Capturer{p}))
	for value := range byte(3) {
		b, err := p.AllocOn(1<<30, s)
		l.ok("alloc", err)
		l.write(b.Addr(), b.Bytes(), value, s)
		l.expect(b.Addr(), b.Bytes(), value, s)
		l.ok("free", p.FreeOn(b, s))
	}
	g, err := s.EndCapture()
	l.ok("end", err)
	if n := g.Private().Bytes; n > 1<<30+8<<20 {
		t.Errorf("%d bytes", n)
	}
	l.ok("launch", g.Launch(s))
	l.ok("wait", s.Synchronize())
	if n := l.errors(); n > 0 {
		t.Errorf("%d bytes were wrong", n)
	}
	l.ok("close", g.Close())
	closed(l, p)
}
