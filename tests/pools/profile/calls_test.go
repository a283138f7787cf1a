//go:build !pooltrace

package profile

import (
	"context"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Blocks of these tests are large, so all of them are sampled.

// holds requires that the profile has exactly this of a pool.
func holds(t *testing.T, name string, want figures) {
	t.Helper()
	if got := read(t)["profile."+name]; got != want {
		t.Errorf("%s has %+v in the profile, want %+v", name, got, want)
	}
}

// All calls that allocate and free single blocks count, each once.
func TestCallsOfCells(t *testing.T) {
	const size = 16 * mib
	p := new(WideMutexPool)
	taken, err := p.AllocContext(context.Background())
	fatal.If(t, err)
	tried, ok := p.TryAlloc()
	if !ok {
		t.Fatal("no room in a chunk")
	}
	owner, err := p.AllocRef()
	fatal.If(t, err)
	fatal.If(t, p.With(func(*WideMutexBlock) error {
		holds(t, "WideMutex", figures{4, 4 * size, 4, 4 * size})
		return nil
	}))
	batch := make([]*WideMutexBlock, 9)
	_, err = p.AllocBatch(batch)
	fatal.If(t, err)
	holds(t, "WideMutex", figures{13, 13 * size, 12, 12 * size})
	fatal.If(t, p.FreeBatch(append(slices.Clone(batch[2:]), taken)))
	fatal.If(t, owner.Release())
	holds(t, "WideMutex", figures{13, 13 * size, 3, 3 * size})
	fatal.If(t, p.FreeBatch([]*WideMutexBlock{tried, batch[0], batch[1]}))
	holds(t, "WideMutex", figures{13, 13 * size, 0, 0})
	fatal.If(t, p.Close())
}

// Batches without a lock count as those with one.
func TestCallsOfShardedCells(t *testing.T) {
	const size = 16 * mib
	p := new(WideShardedPool)
	batch := make([]*WideShardedBlock, 9)
	for range 3 {
		_, err := p.AllocBatch(batch)
		fatal.If(t, err)
		fatal.If(t, p.FreeBatch(batch[3:]))
		fatal.If(t, p.FreeBatch(batch[:3]))
	}
	_, err := p.AllocBatch(batch)
	fatal.If(t, err)
	holds(t, "WideSharded", figures{36, 36 * size, 9, 9 * size})
	fatal.If(t, p.FreeBatch(batch))
	fatal.If(t, p.Close())
}

// The blocks of a batch that fails do not count, as they do not in Stats.
func TestFailedBatch(t *testing.T) {
	const size = 16 * mib
	p := new(WideHandlePool)
	h, _, err := p.AllocHandle()
	fatal.If(t, err)
	batch := make([]*WideHandleBlock, 20)
	_, err = p.AllocBatch(batch)
	wants(t, err, poolrt.ErrLimit)
	holds(t, "WideHandle", figures{1, size, 1, size})
	if s := p.Stats(); s.Allocs != 1 || s.Live != 1 {
		t.Errorf("%+v", s)
	}
	fatal.If(t, p.FreeHandle(h))
	fatal.If(t, p.Close())
}

// Blocks that are freed by their handles count as others. A stale handle changes nothing.
func TestCallsOfHandles(t *testing.T) {
	const size = 16 * mib
	p := new(WideHandlePool)
	var all []WideHandleHandle
	for range 5 {
		h, _, err := p.AllocHandle()
		fatal.If(t, err)
		all = append(all, h)
	}
	fatal.If(t, p.FreeHandle(all[0]))
	h, _, err := p.AllocHandle() // in the place of the first
	fatal.If(t, err)
	wants(t, p.FreeHandle(all[0]), poolrt.ErrDoubleFree)
	wants(t, p.FreeHandle(all[4]+1<<32), poolrt.ErrForeign)
	holds(t, "WideHandle", figures{6, 6 * size, 5, 5 * size})
	for _, h := range append(all[1:], h) {
		fatal.If(t, p.FreeHandle(h))
	}
	holds(t, "WideHandle", figures{6, 6 * size, 0, 0})
	fatal.If(t, p.Close())
}

// All calls that allocate and free rows count, each once.
func TestCallsOfRows(t *testing.T) {
	const size = 32 * mib
	p := new(HeapShardedPool)
	var all [][]byte
	taken, err := p.AllocContext(context.Background(), size)
	fatal.If(t, err)
	aligned, err := p.AllocAligned(size, 4096)
	fatal.If(t, err)
	fatal.If(t, p.Free(aligned))
	tried, ok := p.TryAlloc(size)
	if !ok {
		t.Fatal("no room in a chunk")
	}
	owner, err := p.AllocRef(size)
	fatal.If(t, err)
	fatal.If(t, p.With(size, func(b []byte) error {
		holds(t, "HeapSharded", figures{5, 5 * size, 4, 4 * size})
		return nil
	}))
	all = append(all, taken, tried, owner.Detach())
	for _, b := range all {
		fatal.If(t, p.Free(b))
	}
	holds(t, "HeapSharded", figures{5, 5 * size, 0, 0})
	fatal.If(t, p.Close())
}
