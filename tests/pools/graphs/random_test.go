//go:build cudasim

package graphs

import (
	"flag"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

var all = flag.Bool("graphs.all", false, "capture 10,000 random graphs, not 200")

// Random programs fork, join, allocate, work and free on one to four streams. No launch uses memory out of order, and no graph grows as long as it has memory that
// is free for the stream, however that is found out.
func TestRandomGraphs(t *testing.T) {
	graphs := 200
	if *all {
		graphs = 10_000
	}
	for seed := range graphs {
		sim.Reset(sim.Config{Devices: 1, Hazards: true, Touching: seed%2 == 0})
		streams := max(1, seed%4)
		m := newModel(t, []memory{temp(), pages()}[seed/4%2], uint64(seed), streams, min(seed%4, 1))
		for step := range 60 {
			if step == 30 {
				m.fork() // behind nothing that the others did
			}
			switch n := m.rand.IntN(10); {
			case n < 3:
				m.alloc(m.rand.IntN(len(m.streams)), 1+m.rand.Int64N(600<<10))
			case n < 5 && len(m.live) > 0:
				m.free(m.rand.IntN(len(m.live)))
			case n < 6:
				m.join(m.rand.IntN(len(m.streams)), m.rand.IntN(len(m.streams)))
			case len(m.live) > 0:
				m.work(m.rand.IntN(len(m.live)))
			}
		}
		m.end(16)
		for _, f := range sim.Findings() {
			t.Errorf("seed %d: %s", seed, f)
		}
		if t.Failed() {
			return
		}
	}
}

// The programs of docs/graphs.md: of ten operations one allocates, one frees, one makes a stream wait for another, and the others work. Live blocks grow in number
// at first, so the peak is that of a program with so many operations. A graph has more than that: blocks of several streams that do not wait for each other cannot
// have places in common, and free places are not always as long as the next block.
func TestBytesOfGraphs(t *testing.T) {
	chunks := func(mib int64) func() memory {
		return func() memory { return temp(poolrt.WithChunkSize(mib << 20)) }
	}
	pools := []struct {
		name string
		make func() memory
	}{
		{"chunks of 1 MiB", chunks(1)}, {"chunks of 2 MiB", chunks(2)}, {"chunks of 4 MiB", chunks(4)}, {"chunks of 8 MiB", chunks(8)}, {"pages of 2 MiB", pages},
	}
	for _, test := range []struct{ streams, operations, programs int }{{2, 1000, 30}, {4, 1000, 30}, {2, 10_000, 3}} {
		if test.operations > 1000 && testing.Short() {
			continue
		}
		for _, p := range pools {
			var sum, most, cut float64
			for seed := range test.programs {
				m := bytesOfGraph(t, uint64(seed), test.streams, test.operations, p.make)
				times := float64(m.private) / float64(m.peak)
				sum, most, cut = sum+times, max(most, times), cut+float64(m.fluid.bytes)/float64(m.peak)
			}
			programs := float64(test.programs)
			t.Logf("%d streams, %d operations, %s: a graph has %.2f times what is live at the peak, at most %.2f times, in %.0f programs; %.2f if blocks were cut at will",
				test.streams, test.operations, p.name, sum/programs, most, programs, cut/programs)
			if sum/programs > 2 {
				t.Error("more than 2 times")
			}
		}
	}
}

// bytesOfGraph captures a random program, and returns its model.
func bytesOfGraph(t *testing.T, seed uint64, streams, operations int, p func() memory) *model {
	rig.Machine(t, sim.Config{Devices: 1})
	m := newModel(t, p(), seed, streams, 0)
	for range operations {
		switch n := m.rand.IntN(10); {
		case n == 0:
			m.alloc(m.rand.IntN(len(m.streams)), 1<<10+m.rand.Int64N(4<<20))
		case n == 1 && len(m.live) > 0:
			m.free(m.rand.IntN(len(m.live)))
		case n == 2:
			m.join(m.rand.IntN(len(m.streams)), m.rand.IntN(len(m.streams)))
		case len(m.live) > 0:
			m.work(m.rand.IntN(len(m.live)))
		}
	}
	m.end(1)
	return m
}
