//go:build cudasim

package graphs

import (
	"flag"
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
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
		m := newModel(t, uint64(seed), 1+seed%4)
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

// The programs of the table in docs/graphs.md: of ten operations one allocates, one frees, one makes a stream wait for another, and the others work. Live blocks grow
// in number at first, so the peak is that of a program with so many operations. A graph has more than that: blocks of several streams that do not wait for each other
// cannot have places in common, and free places are not always as long as the next block.
func TestBytesOfGraphs(t *testing.T) {
	for _, test := range []struct {
		streams, operations, programs int
	}{{2, 1000, 30}, {4, 1000, 30}, {2, 10_000, 3}} {
		if test.operations > 1000 && testing.Short() {
			continue
		}
		var sum, most float64
		for seed := range test.programs {
			times := bytesOfGraph(t, uint64(seed), test.streams, test.operations)
			sum, most = sum+times, max(most, times)
		}
		mean := sum / float64(test.programs)
		t.Logf("%d streams, %d operations: a graph has %.2f times what is live at the peak, at most %.2f times, in %d programs", test.streams, test.operations, mean, most,
			test.programs)
		if mean > 1.8 {
			t.Error("more than 1.8 times")
		}
	}
}

// bytesOfGraph returns how many times the bytes that are live at the peak of a random program are those of its graph.
func bytesOfGraph(t *testing.T, seed uint64, streams, operations int) float64 {
	rig.Machine(t, sim.Config{Devices: 1})
	m := newModel(t, seed, streams)
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
	times := float64(m.private) / float64(m.peak)
	m.end(1)
	return times
}
