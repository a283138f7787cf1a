//go:build cudasim

package tiles

import (
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Tiles that were freed on a stream can be reused by the stream at once, and by all callers when the stream has passed the free.
func TestFreedTilesAreTheStreamsFirst(t *testing.T) {
	machine(t, sim.Config{}) // streams do not run by themselves
	p := rig.Must(NewPagePool())
	rig.Closing(t, p)
	c, other := canvas(t), rig.Stream(t, 0)
	a := rig.Must(p.AllocOn(3, c.stream))
	rig.Check(t, "bind", c.Bind(0, a.Memory(), a.Offset()))
	rig.Check(t, "free", p.FreeOn(a, c.stream))
	again := rig.Must(p.AllocOn(3, c.stream))
	if again != a {
		t.Errorf("%+v after %+v", again, a)
	}
	rig.Check(t, "free", p.FreeOn(again, c.stream))
	elsewhere := rig.Must(p.AllocOn(3, other))
	plain := rig.Must(p.Alloc(3))
	if elsewhere == a || plain == a {
		t.Error("the stream has not passed the free")
	}
	synchronize(t, p)
	if s := p.Stats(); s.Pending != 0 || s.Live != 2 {
		t.Errorf("%+v", s)
	}
	rig.Check(t, "free", p.FreeAsync(plain, c.stream))
	rig.Check(t, "free", p.Free(elsewhere))
	synchronize(t, p)
}

// synchronize waits for the streams, and lets the pool reclaim their frees.
func synchronize(t *testing.T, p interface{ Poll() int }) {
	t.Helper()
	for range 2 { // the first records a fence
		p.Poll()
		rig.Check(t, "synchronize", cuda.Device(0).Synchronize())
	}
	p.Poll()
}

// Rows of a pool with a deferred order, freed by many goroutines.
func TestManyGoroutinesFreeOnStreams(t *testing.T) {
	machine(t, sim.Config{Schedule: 3})
	p := rig.Must(NewLatePool())
	rig.Closing(t, p)
	var done sync.WaitGroup
	for range 4 {
		s := rig.Stream(t, 0)
		done.Go(func() {
			for i := range 200 {
				row, err := p.Alloc(1 + i%5)
				if err == nil {
					err = p.FreeAsync(row, s)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	synchronize(t, p)
	if s := p.Stats(); s.Live != 0 || s.Pending != 0 {
		t.Errorf("%+v", s)
	}
}

// A pool that keeps nothing returns the memory of tiles when they are freed, even while an array is bound to them.
func TestFreedWhileBound(t *testing.T) {
	machine(t, sim.Config{Schedule: 1})
	p := rig.Must(NewSparePool())
	rig.Closing(t, p)
	c := canvas(t)
	row := rig.Must(p.Alloc(2))
	rig.Check(t, "bind", c.Bind(5, row.Memory(), row.Offset()))
	rig.Check(t, "write", c.Write(5, 1))
	rig.Check(t, "free", p.Free(row))
	if s := p.Stats(); s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
	rig.Check(t, "read", c.Check(5, 1)) // the driver keeps bound memory
}
