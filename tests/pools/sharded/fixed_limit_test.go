package sharded

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// Any goroutine can allocate all blocks of a pool, whichever goroutine had them before, and no more.
func TestFixedStrict(t *testing.T) {
	eachItem(t, fixedStrict, fixedStrict, fixedStrict, fixedStrict, fixedStrict, fixedStrict)
}

func fixedStrict[R comparable](t *testing.T, test itemTest[R]) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := test.make(t)
	for round := range 5 {
		all := fillTogether(t, p, round%2 == 0)
		if len(all) != test.blocks*int(p.Stats().Reserved)/int(p.Stats().Limit) || p.Stats().Live != int64(len(all)) {
			t.Errorf("%d blocks of %d: %+v", len(all), test.blocks, p.Stats())
		}
		if b, ok := p.TryAlloc(); ok {
			t.Errorf("%v from a full pool", b)
		}
		var frees sync.WaitGroup
		for k := range 4 {
			frees.Go(func() {
				for i := k; i < len(all); i += 4 {
					if err := p.Free(all[i]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		frees.Wait()
		runtime.GOMAXPROCS(1 + rand.IntN(4))
	}
	check(t, "close", p.Close())
}

// fillTogether has several goroutines allocate all blocks.
func fillTogether[R comparable](t *testing.T, p itemPool[R], batches bool) (all []R) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wg.Go(func() {
			var mine []R
			batch := make([]R, 64)
			for batches {
				if _, err := p.AllocBatch(batch); err != nil {
					break
				}
				mine = append(mine, batch...)
			}
			for {
				b, err := p.Alloc()
				if err != nil {
					if !errors.Is(err, poolrt.ErrLimit) {
						t.Error(err)
					}
					break
				}
				mine = append(mine, b)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	wg.Wait()
	return all
}

// A goroutine that waits for a block gets one that is freed, and all waiters get one.
func TestFixedWaiting(t *testing.T) {
	t.Run("few", func(t *testing.T) { fixedWaiting(t, new(pools.FewPool)) })
	t.Run("kept", func(t *testing.T) { fixedWaiting(t, new(pools.KeptFewPool)) })
}

func fixedWaiting(t *testing.T, p itemPool[*[8192]byte]) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for id := range 16 {
		wg.Go(func() {
			for range 300 {
				b, err := p.AllocContext(ctx)
				if id%2 == 0 && err == nil {
					report(t, "free", p.Free(b))
					b, err = p.Alloc()
				}
				if !report(t, "alloc", err) {
					return
				}
				b[0] = 1
				runtime.Gosched()
				report(t, "free", p.FreeBatch([]*[8192]byte{b}))
			}
		})
	}
	wg.Wait()
	if s := p.Stats(); s.Live != 0 || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
	check(t, "close", p.Close())
}

// No goroutine waits forever: the end of a context ends the wait.
func TestFixedWaitEnds(t *testing.T) {
	t.Run("few", func(t *testing.T) { fixedWaitEnds(t, new(pools.FewPool)) })
	t.Run("kept", func(t *testing.T) { fixedWaitEnds(t, new(pools.KeptFewPool)) })
}

func fixedWaitEnds(t *testing.T, p itemPool[*[8192]byte]) {
	batch := make([]*[8192]byte, 8)
	_, err := p.AllocBatch(batch)
	check(t, "alloc", err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.AllocContext(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("full pool: %v", err)
	}
	check(t, "free", p.FreeBatch(batch))
	check(t, "close", p.Close())
}

// A pool that releases empty chunks keeps no more than its policy allows, while other goroutines lower its limit.
func TestFixedTrims(t *testing.T) {
	p := new(pools.DrainedPool)
	for limit := int64(1 << 20); limit >= 256<<10; limit -= 64 << 10 {
		all := fillTogether(t, itemPool[*[100]byte](p), true)
		if n := int(limit>>16) * 655; len(all) != n {
			t.Errorf("%d blocks below a limit of %d", len(all), limit)
		}
		if err := p.SetLimit(limit - 64<<10); !errors.Is(err, poolrt.ErrLive) {
			t.Errorf("limit below the live bytes: %v", err)
		}
		var wg sync.WaitGroup
		for k := range 4 {
			wg.Go(func() {
				if err := p.FreeBatch(all[len(all)*k/4 : len(all)*(k+1)/4]); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s := p.Stats(); s.Reserved > 192<<10 || s.Live != 0 {
			t.Errorf("after all frees: %+v", s)
		}
		check(t, "limit", p.SetLimit(limit-64<<10))
	}
	check(t, "close", p.Close())
}
