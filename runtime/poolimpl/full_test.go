package poolimpl

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// searchedCore is a fake core that goroutines search at the limit of a pool.
type searchedCore struct {
	sharedCore
	during func() // called at the end of a search that finds nothing, before its caller learns that
	stolen *fakeChunk
	begun  int // searches
}

func (c *searchedCore) AllocOrCount(bytes, align uint64) (slot uint32, off uint64, u Usage, ok bool) {
	c.begun++
	if slot, off, ok = c.Alloc(bytes, align); !ok {
		u = c.Usage()
		if f := c.during; f != nil {
			c.during = nil
			f()
		}
	}
	return slot, off, u, ok
}

// Steal brings the chunk that is on its way from another processor.
func (c *searchedCore) Steal() bool {
	if c.stolen == nil {
		return false
	}
	c.chunks[0], c.stolen = c.stolen, nil
	return true
}

// failedOnce returns a pool of one chunk of 100 bytes, with a limit of 100, that has failed once while 60 are live.
func failedOnce(t *testing.T, ladder ...Rung) (e *Engine, core *searchedCore, live foundBlock, failed error) {
	if Observed {
		t.Skip("there is no search without the lock if blocks are observed")
	}
	e, core = new(Engine), new(searchedCore)
	e.Init(&Config{
		Name: "test.Full", Source: &fakeSource{t: t}, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 100, MaxLimit: 1000,
		WaitTimeout: 1e9, Ladder: slices.Concat(ladder, []Rung{ErrorRung{}}),
	}, core)
	t.Cleanup(func() { e.name.unregister(e) })
	live, err := e.alloc(request{bytes: 60, align: 1})
	wantErr(t, "alloc", err, nil)
	_, failed = e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", failed, poolrt.ErrLimit)
	core.begun = 0
	return e, core, live, failed
}

// A full pool is searched without its lock. An allocation that finds a block does not take the lock at all, and the error of one that finds none is the same as
// with the lock.
func TestFullPoolIsSearchedWithoutItsLock(t *testing.T) {
	e, core, live, first := failedOnce(t, TrimRung{})
	core.during = func() {
		if !e.mu.TryLock() {
			t.Fatal("the lock is held during the search")
		}
		e.mu.Unlock()
	}
	_, second := e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", second, poolrt.ErrLimit)
	one, other := *first.(*poolrt.PoolError), *second.(*poolrt.PoolError)
	if core.begun != 1 || !reflect.DeepEqual(one.Account, other.Account) || one.Error() != other.Error() || !slices.Equal(one.Remedies, other.Remedies) || len(one.Remedies) == 0 {
		t.Errorf("after %d searches %s\nbefore %s", core.begun, poolrt.Explain(&other), poolrt.Explain(&one))
	}
	if s := e.Stats(); s.Failures != 2 {
		t.Errorf("%d failures", s.Failures)
	}
	core.Free(live.Addr, 60)
	e.lock()
	defer e.unlock()
	done := make(chan error)
	go func() {
		_, err := e.alloc(request{bytes: 50, align: 1})
		done <- err
	}()
	select {
	case err := <-done:
		wantErr(t, "alloc", err, nil)
	case <-time.After(10 * time.Second):
		t.Error("the allocation waits for the lock")
	}
}

// A chunk that comes while a pool is searched has room for the request.
func TestSearchMissesNoChunk(t *testing.T) {
	e, core, _, _ := failedOnce(t)
	core.during = func() {
		wantErr(t, "set limit", e.SetLimit(200), nil)
		_, err := e.alloc(request{bytes: 50, align: 1})
		wantErr(t, "another alloc", err, nil)
	}
	_, err := e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", err, nil)
	if s := e.Stats(); s.Reserved != 200 {
		t.Errorf("%d bytes reserved", s.Reserved)
	}
}

// So has a chunk that moves from one processor to another meanwhile.
func TestSearchMissesNoMove(t *testing.T) {
	e, core, live, _ := failedOnce(t)
	core.Free(live.Addr, 60)
	core.stolen = core.chunks[0]
	delete(core.chunks, 0)
	core.during = func() {
		e.fullness.full.Store(false) // the other caller is not one that searches
		_, err := e.alloc(request{bytes: 50, align: 1})
		wantErr(t, "another alloc", err, nil)
	}
	_, err := e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", err, nil)
}

// A block that is freed between the search and the wait ends the wait: whoever frees it finds nobody waiting.
func TestSearchMissesNoFree(t *testing.T) {
	for _, ladder := range [][]Rung{nil, {WaitRung{}}} {
		synctest.Test(t, func(t *testing.T) {
			e, core, live, _ := failedOnce(t)
			e.config.Ladder = slices.Concat(ladder, e.config.Ladder)
			core.during = func() { core.Free(live.Addr, 60) }
			ctx, cancel := context.WithTimeout(t.Context(), 1e9)
			defer cancel()
			_, err := e.AllocContext(ctx, 50, 1)
			wantErr(t, "alloc", err, nil)
		})
	}
}

// A pool that has room again grows, and is not searched: goroutines use memory of their own as long as there is any.
func TestPoolWithRoomIsNotSearched(t *testing.T) {
	e, core, live, _ := failedOnce(t)
	wantErr(t, "set limit", e.SetLimit(150), nil)
	_, err := e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", err, nil)
	_, err = e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	core.Free(live.Addr, 60)
	if n, err := e.Trim(0); n != 100 || err != nil {
		t.Fatalf("%d bytes trimmed: %v", n, err)
	}
	_, err = e.alloc(request{bytes: 60, align: 1})
	wantErr(t, "alloc", err, nil)
	if core.begun > 0 {
		t.Errorf("%d searches", core.begun)
	}
}

// Hooks get an error with its remedies, as the caller does.
func TestHooksGetRemedies(t *testing.T) {
	e, _, _, _ := failedOnce(t)
	var seen []string
	stop := poolrt.OnEvent(func(ev poolrt.Event) {
		var p *poolrt.PoolError
		if errors.As(ev.Err, &p) {
			seen = p.Remedies
		}
	})
	defer stop()
	_, err := e.alloc(request{bytes: 50, align: 1})
	if p := err.(*poolrt.PoolError); len(p.Remedies) == 0 || !slices.Equal(seen, p.Remedies) {
		t.Errorf("hooks get %q, the caller %q", seen, p.Remedies)
	}
}

// An empty chunk may have no room for a request with an alignment. It goes back all the same, so that another one can come.
func TestEmptyChunkWithoutRoom(t *testing.T) {
	e, core, _, _ := failedOnce(t, TrimRung{})
	wantErr(t, "set limit", e.SetLimit(200), nil)
	second, err := e.alloc(request{bytes: 50, align: 1})
	wantErr(t, "alloc", err, nil)
	_, err = e.alloc(request{bytes: 95, align: 1})
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if core.chunks[0].base%64 != 0 || core.chunks[1].base%64 != 36 {
		t.Fatalf("chunks at %#x and %#x", core.chunks[0].base, core.chunks[1].base)
	}
	core.Free(second.Addr, 50)
	b, err := e.alloc(request{bytes: 90, align: 64})
	wantErr(t, "alloc", err, nil)
	if b.Addr%64 != 0 || core.begun == 0 {
		t.Errorf("a block at %#x after %d searches", b.Addr, core.begun)
	}
}
