package lookup

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A stale handle is refused by Get and FreeHandle, whichever way its block was freed, before and after the block is in use again.
func TestStaleHandles(t *testing.T) {
	ways := map[string]func(p *LinkPool, h LinkHandle, b *[4]uint64) error{
		"FreeHandle": func(p *LinkPool, h LinkHandle, _ *[4]uint64) error { return p.FreeHandle(h) },
		"Free":       func(p *LinkPool, _ LinkHandle, b *[4]uint64) error { return p.Free(b) },
		"FreeBatch":  func(p *LinkPool, _ LinkHandle, b *[4]uint64) error { return p.FreeBatch([]*[4]uint64{b}) },
	}
	for name, free := range ways {
		t.Run(name, func(t *testing.T) {
			p := must(NewLinkPool())
			var stale []LinkHandle
			for range 200 {
				h, b, err := p.AllocHandle()
				check(t, "alloc", err)
				if at, ok := p.Get(h); !ok || at != b {
					t.Fatalf("Get: %p, %t, want %p", at, ok, b)
				}
				for _, old := range stale {
					dead(t, p, old)
				}
				check(t, "free", free(p, h, b))
				stale = append(stale, h)
				for _, old := range stale {
					dead(t, p, old)
				}
				refused(t, "second free", free(p, h, b), poolrt.ErrInvalidFree)
			}
			if s := p.Stats(); s.Live != 0 || s.Allocs != 200 || s.Frees != 200 {
				t.Errorf("%v", s)
			}
			check(t, "close", p.Close())
			dead(t, p, stale[0])
			refused(t, "after Close", p.FreeHandle(stale[0]), poolrt.ErrClosed)
		})
	}
}

// dead checks that a handle is refused.
func dead(t *testing.T, p *LinkPool, h LinkHandle) {
	t.Helper()
	if b, ok := p.Get(h); ok || b != nil {
		t.Fatalf("stale handle %#x leads to %p", uint64(h), b)
	}
	if err := p.FreeHandle(h); err == nil {
		t.Fatalf("stale handle %#x is freed", uint64(h))
	}
}

// What is no handle of the pool is foreign.
func TestForeignHandles(t *testing.T) {
	p := must(NewLinkPool())
	for _, h := range []LinkHandle{0, 1, 1 << 32, 1<<32 | 5, ^LinkHandle(0), 1<<32 | 1<<31} {
		if _, ok := p.Get(h); ok {
			t.Errorf("Get(%#x) of an unused pool", uint64(h))
		}
		refused(t, "free", p.FreeHandle(h), poolrt.ErrForeign)
	}
	h, _, err := p.AllocHandle()
	check(t, "alloc", err)
	for _, other := range []LinkHandle{0, h + 1<<32, h | 1<<31, ^LinkHandle(0)} {
		if _, ok := p.Get(other); ok {
			t.Errorf("Get(%#x)", uint64(other))
		}
		refused(t, "free", p.FreeHandle(other), poolrt.ErrForeign)
	}
	check(t, "free", p.FreeHandle(h))
	check(t, "close", p.Close())
}

// The generations of blocks outlive their chunk, which the pool returns when it is empty.
func TestHandlesOutliveTheChunk(t *testing.T) {
	p := must(NewTrimmedPool())
	var stale []TrimmedHandle
	for range 100 {
		h, b, err := p.AllocHandle()
		check(t, "alloc", err)
		for _, old := range stale {
			if _, ok := p.Get(old); ok || old == h {
				t.Fatalf("handle %#x fits the block of %#x", uint64(old), uint64(h))
			}
			refused(t, "stale", p.FreeHandle(old), poolrt.ErrDoubleFree)
		}
		b[0]++
		check(t, "free", p.FreeHandle(h))
		stale = append(stale, h)
		if s := p.Stats(); s.Reserved != 0 && !poolrt.Debug {
			t.Fatalf("the empty chunk stays: %v", s)
		}
		for _, old := range stale {
			refused(t, "stale, without a chunk", p.FreeHandle(old), poolrt.ErrDoubleFree)
		}
		refused(t, "of no block, without a chunk", p.FreeHandle(h+2<<32), poolrt.ErrForeign)
	}
	check(t, "close", p.Close())
}

// CloseForce makes all handles stale.
func TestHandlesAfterCloseForce(t *testing.T) {
	p := must(NewLinkPool())
	h, _, err := p.AllocHandle()
	check(t, "alloc", err)
	check(t, "close", p.CloseForce())
	if _, ok := p.Get(h); ok {
		t.Error("Get after CloseForce")
	}
	refused(t, "free", p.FreeHandle(h), poolrt.ErrClosed)
}

// Of several goroutines that free one handle, one succeeds. Handles of others, live and stale, are looked up meanwhile.
func TestHandlesOfManyGoroutines(t *testing.T) {
	p := must(NewLinkPool())
	rounds := 3000
	if poolrt.Debug {
		rounds = 200
	}
	var mu sync.Mutex
	live, frees := map[LinkHandle]*[4]uint64{}, 0
	var all sync.WaitGroup
	var stale []LinkHandle
	for seed := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			for range rounds {
				h, b, err := p.AllocHandle()
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				live[h] = b
				if len(stale) > 0 {
					old := stale[r.IntN(len(stale))]
					if _, ok := p.Get(old); ok {
						t.Errorf("stale handle %#x", uint64(old))
					}
				}
				some := make([]LinkHandle, 0, 4)
				for h, b := range live {
					if at, ok := p.Get(h); !ok || at != b {
						t.Errorf("Get(%#x): %p, %t, want %p", uint64(h), at, ok, b)
					}
					if some = append(some, h); len(some) == 4 {
						break
					}
				}
				delete(live, some[0])
				mu.Unlock()
				var both sync.WaitGroup
				errs := make([]error, 2)
				for i := range errs {
					both.Go(func() { errs[i] = p.FreeHandle(some[0]) })
				}
				both.Wait()
				if (errs[0] == nil) == (errs[1] == nil) {
					t.Errorf("two frees of one handle: %v", errs)
				}
				mu.Lock()
				frees++
				stale = append(stale, some[0])
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if s := p.Stats(); s.Live != 0 || frees != 4*rounds {
		t.Errorf("%d frees, %v", frees, s)
	}
	check(t, "close", p.Close())
}

// A stale handle does not free the block that was handed out in its place, not even if the block is freed and handed out again while the stale handle
// is compared. The pool has only one block, so it is the next one also in builds that have a quarantine.
func TestStaleHandleFreesNoLaterBlock(t *testing.T) {
	p := must(NewSolePool())
	h, _, err := p.AllocHandle()
	check(t, "alloc", err)
	var current, frees atomic.Uint64
	current.Store(uint64(h))
	rounds := uint64(100_000)
	if poolrt.Debug {
		rounds = 3000
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for frees.Load() < rounds && !t.Failed() {
				if p.FreeHandle(SoleHandle(current.Load())) != nil {
					continue
				}
				frees.Add(1)
				h, b, err := p.AllocHandle()
				if err != nil {
					t.Errorf("alloc after the free of the only block: %v", err)
					return
				}
				if at, ok := p.Get(h); !ok || at != b {
					t.Errorf("a handle that nobody else has leads to %p, %t", at, ok)
				}
				current.Store(uint64(h))
			}
		})
	}
	all.Wait()
	check(t, "free", p.FreeHandle(SoleHandle(current.Load())))
	if s := p.Stats(); s.Live != 0 || uint64(s.Frees) != frees.Load()+1 {
		t.Errorf("%d frees, %v", frees.Load()+1, s)
	}
	check(t, "close", p.Close())
}

// The last generation of a block is one like any other. Then the block is retired: it is counted, it is not handed out again, it keeps its chunk, and none of its
// handles is valid. The pool can be closed.
func TestRetiredBlocks(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine decides which block is handed out next")
	}
	p := must(NewTrimmedPool())
	first, b, err := p.AllocHandle()
	check(t, "alloc", err)
	p.core.Gens[uint32(first)] = 1<<32 - 3 // this life is the last but one
	check(t, "free", p.Free(b))
	h, b, err := p.AllocHandle()
	check(t, "alloc", err)
	if uint32(h) != uint32(first) || uint64(h)>>32 != 1<<32-2 {
		t.Fatalf("handle %#x: want the last life of block %d", uint64(h), uint32(first))
	}
	if at, ok := p.Get(h); !ok || at != b {
		t.Fatalf("Get in the last life: %p, %t", at, ok)
	}
	check(t, "free", p.FreeHandle(h))
	if s := p.Stats(); s.Retired != 1 || s.Live != 0 || s.LiveBytes != 0 || s.Chunks != 1 {
		t.Errorf("%v", s)
	}
	for range 1000 {
		other, at, err := p.AllocHandle()
		check(t, "alloc", err)
		if at == b || uint32(other) == uint32(h) {
			t.Fatal("the retired block is handed out")
		}
		if _, ok := p.Get(h); ok {
			t.Fatal("the last handle of a retired block is valid")
		}
		refused(t, "free", p.FreeHandle(h), poolrt.ErrDoubleFree)
		refused(t, "free", p.Free(b), poolrt.ErrDoubleFree)
		check(t, "free", p.FreeHandle(other))
	}
	for life := uint64(0); life < 1<<32; life += 1<<32/1000 - 7 {
		if _, ok := p.Get(TrimmedHandle(life<<32 | uint64(uint32(h)))); ok {
			t.Fatalf("life %d of a retired block", life)
		}
	}
	check(t, "close", p.Close())
}
