package poolimpl

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// slabCore is a sharedCore that counts searches that dissolve no slab.
type slabCore struct {
	sharedCore
	sparing int
}

func (c *slabCore) AllocSparing(bytes, align uint64) (uint32, uint64, bool) {
	c.sparing++
	return c.Alloc(bytes, align)
}

func (c *slabCore) Serves(uint64) bool   { return false }
func (c *slabCore) FlushFor(uint64) bool { return c.Flush() }

// As long as the pool may grow, a search of all of it dissolves no slab. At the limit it does.
func TestSearchSparesSlabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &fakeSource{t: t}
		gate := make(chan struct{})
		source.onAlloc = func(int) error { <-gate; return nil }
		core := new(slabCore)
		e := new(Engine)
		e.Init(&Config{
			Name: "test.Slabs", Source: source, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 100,
			Ladder: []Rung{ErrorRung{}},
		}, core)
		var served atomic.Int32
		for range 2 {
			spawn(func() {
				_, err := e.Alloc(1, 50, 1)
				wantErr(t, "alloc", err, nil)
				served.Add(1)
			})
		}
		if core.sparing == 0 || core.searches != 0 {
			t.Errorf("while another caller grows: %d searches, %d of them dissolve slabs", core.sparing+core.searches, core.searches)
		}
		close(gate)
		synctest.Wait()
		if served.Load() != 2 || core.searches != 0 {
			t.Errorf("%d served, %d searches that dissolve slabs", served.Load(), core.searches)
		}
		_, err := e.Alloc(1, 50, 1)
		wantErr(t, "one more", err, poolrt.ErrLimit)
		if core.searches == 0 {
			t.Error("at the limit no search dissolves slabs")
		}
	})
}

// emptyingCore is a sharedCore that knows whether a chunk is empty.
type emptyingCore struct {
	sharedCore
	looks int // at one chunk
}

func (c *emptyingCore) AnyEmpty() bool { return c.live == 0 && len(c.chunks) > 0 }

func (c *emptyingCore) Used(slot uint32) uint64 {
	c.looks++
	return c.sharedCore.Used(slot)
}

// A request that fails looks at no chunk if the core knows that none is empty. An empty chunk goes back all the same.
func TestFailureAsksForEmptyChunks(t *testing.T) {
	core := new(emptyingCore)
	e := new(Engine)
	e.Init(&Config{
		Name: "test.Empties", Source: &fakeSource{t: t}, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 100,
		Ladder: []Rung{TrimRung{}, ErrorRung{}},
	}, core)
	b, err := e.Alloc(1, 60, 1)
	wantErr(t, "alloc", err, nil)
	core.looks = 0
	_, err = e.Alloc(1, 60, 1)
	wantErr(t, "alloc at the limit", err, poolrt.ErrLimit)
	if core.looks != 0 {
		t.Errorf("a look at %d chunks", core.looks)
	}
	wantErr(t, "free", e.Free(b.Addr, 60), nil)
	if n, err := e.Trim(0); n != 100 || err != nil {
		t.Errorf("Trim returned %d bytes, %v", n, err)
	}
}
