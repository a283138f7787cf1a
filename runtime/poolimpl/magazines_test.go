package poolimpl

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// sharedCore is a fake core that counts searches of the whole pool.
type sharedCore struct {
	fakeCore
	searches   int
	onSearched func()
}

func (c *sharedCore) AllocAny(bytes, align uint64) (uint32, uint64, bool) {
	c.searches++
	if c.onSearched != nil {
		defer c.onSearched()
	}
	return c.Alloc(bytes, align)
}

func (c *sharedCore) Evict(slot uint32) bool {
	if c.Used(slot) > 0 {
		return false
	}
	c.Remove(slot)
	return true
}

func (c *sharedCore) Steal() bool { return false }

func (c *sharedCore) Shut(force bool) bool { return force || c.live == 0 }

// While one caller grows the pool, others search all of it. With magazines they wait instead, because such a search stops the program. At the
// limit all callers search.
func TestMagazinesWaitForGrowth(t *testing.T) {
	for _, magazines := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			source := &fakeSource{t: t}
			gate := make(chan struct{})
			source.onAlloc = func(int) error { <-gate; return nil }
			core := new(sharedCore)
			e := new(Engine)
			e.Init(&Config{
				Name: "test.Magazines", Source: source, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 100, Magazines: magazines,
				Ladder: []Rung{ErrorRung{}},
			}, core)
			var served atomic.Int32
			alloc := func() {
				_, err := e.Alloc(1, 50, 1)
				wantErr(t, "alloc", err, nil)
				served.Add(1)
			}
			spawn(alloc)
			spawn(alloc)
			if core.searches == 0 != magazines {
				t.Errorf("magazines %t: %d searches while another grows", magazines, core.searches)
			}
			close(gate)
			synctest.Wait()
			before := core.searches
			_, err := e.Alloc(1, 50, 1)
			wantErr(t, "one more", err, poolrt.ErrLimit)
			if served.Load() != 2 || core.searches == before {
				t.Errorf("magazines %t: %d served, %d searches, %d before the limit", magazines, served.Load(), core.searches, before)
			}
		})
	}
}
