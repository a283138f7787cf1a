package sharded

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// extent is the range of a block, which the pool may have handed out again since.
type extent struct{ at, bytes uintptr }

func place(b []byte) extent {
	return extent{uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))}
}

func disjoint(t *testing.T, all []extent) {
	t.Helper()
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.at, b.at) })
	for i := range all[:max(len(all), 1)-1] {
		if all[i].at+all[i].bytes > all[i+1].at {
			t.Fatalf("%x overlaps %x", all[i], all[i+1])
		}
	}
}

// Goroutines fill the pool exactly to its limit; the blocks of each keep their contents, and little memory is wasted. After a reset all memory
// can be allocated again.
func TestBumpFull(t *testing.T) {
	p := new(pools.BumpPool)
	for round := range 3 {
		var wg sync.WaitGroup
		var total, count atomic.Int64
		for id := range 6 {
			wg.Go(func() {
				var held [][]byte
				for i := 0; ; i++ {
					n, align := 1+i*37%500, 1
					if i%50 == 0 {
						n = 6000
					}
					if i%20 == 0 {
						align = 256
					}
					b, err := alloc(p, n, align)
					if err != nil {
						if !errors.Is(err, poolrt.ErrLimit) {
							t.Error(err)
						}
						break
					}
					if place(b).at%uintptr(align) != 0 {
						t.Errorf("%x is not aligned to %d", place(b), align)
					}
					for k := range b {
						b[k] = byte(id)
					}
					total.Add(int64(n))
					count.Add(1)
					held = append(held, b)
				}
				for _, b := range held {
					if slices.ContainsFunc(b, func(x byte) bool { return x != byte(id) }) {
						t.Error("another goroutine wrote into a block")
						return
					}
				}
			})
		}
		wg.Wait()
		s := p.Stats()
		if s.Reserved != 8<<20 || s.PeakReserved > 8<<20 || total.Load() < 7<<20 {
			t.Errorf("round %d: %d bytes in blocks, %+v", round, total.Load(), s)
		}
		check(t, "reset", p.Reset())
		if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 || s.Frees != s.Allocs {
			t.Errorf("after a reset: %+v", s)
		}
	}
	if released, err := p.Trim(0); err != nil || released != 8<<20 {
		t.Errorf("Trim released %d, %v", released, err)
	}
	check(t, "close", p.Close())
}

func alloc(p *pools.BumpPool, n, align int) ([]byte, error) {
	if align == 1 {
		return p.Alloc(n)
	}
	return p.AllocAligned(n, align)
}

// Blocks and their bytes are counted exactly.
func TestBumpCounts(t *testing.T) {
	p := new(pools.BumpPool)
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for i := range 1000 {
				if _, err := p.Alloc(1 + i%99); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want := int64(0)
	for i := range 1000 {
		want += 5 * int64(1+i%99)
	}
	if s := p.Stats(); s.Live != 5000 || s.Allocs != 5000 || s.LiveBytes != want || s.PeakBytes != want {
		t.Errorf("%+v, want %d bytes", s, want)
	}
	check(t, "close", p.Close())
	if s := p.Stats(); s.Live != 0 || s.Allocs != 5000 || s.Reserved != 0 {
		t.Errorf("after Close: %+v", s)
	}
}

// Blocks that were handed out between two resets do not overlap, whatever calls were in progress during the resets. Meanwhile, chunks are released
// and added.
func TestBumpResetAmongOthers(t *testing.T) {
	p := new(pools.BumpPool)
	var era, blocks atomic.Int64 // era is odd during a reset
	var stop atomic.Bool
	var mu sync.Mutex
	taken := map[int64][]extent{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			mine := map[int64][]extent{}
			for i := 0; !stop.Load(); i++ {
				before := era.Load()
				b, err := p.Alloc(1 + i*131%3000)
				if err != nil {
					if !errors.Is(err, poolrt.ErrLimit) {
						t.Error(err)
					}
					continue
				}
				blocks.Add(1)
				if before%2 == 0 && era.Load() == before {
					mine[before] = append(mine[before], place(b))
				}
			}
			mu.Lock()
			for at, list := range mine {
				taken[at] = append(taken[at], list...)
			}
			mu.Unlock()
		})
	}
	for round := range 40 {
		n := blocks.Load()
		era.Add(1)
		check(t, "reset", p.Reset())
		if round%4 == 0 {
			_, err := p.Trim(0)
			check(t, "trim", err)
		}
		era.Add(1)
		for blocks.Load() < n+200 {
			runtime.Gosched()
		}
	}
	stop.Store(true)
	wg.Wait()
	for _, list := range taken {
		disjoint(t, list)
	}
	if s := p.Stats(); s.Allocs != blocks.Load() || s.PeakReserved > 8<<20 {
		t.Errorf("%d blocks, %+v", blocks.Load(), s)
	}
	check(t, "close", p.Close())
}

// Close closes the pool for all goroutines.
func TestBumpCloseAmongOthers(t *testing.T) {
	for range 30 {
		p := new(pools.BumpPool)
		var wg sync.WaitGroup
		var blocks atomic.Int64
		for range 4 {
			wg.Go(func() {
				for {
					_, err := p.Alloc(100)
					if errors.Is(err, poolrt.ErrClosed) {
						return
					}
					if err == nil {
						blocks.Add(1)
					} else if !errors.Is(err, poolrt.ErrLimit) {
						t.Error(err)
					}
				}
			})
		}
		for blocks.Load() < 100 {
			runtime.Gosched()
		}
		check(t, "close", p.Close())
		wg.Wait()
		if s := p.Stats(); s.Reserved != 0 || s.Allocs != blocks.Load() {
			t.Errorf("%d blocks, %+v", blocks.Load(), s)
		}
		if err := p.Reset(); !errors.Is(err, poolrt.ErrClosed) {
			t.Errorf("Reset of a closed pool: %v", err)
		}
		check(t, "second close", p.Close())
	}
}

// A goroutine that waits at the limit continues after a reset.
func TestBumpWaiting(t *testing.T) {
	p := new(pools.BumpPool)
	for {
		if _, err := p.Alloc(256 << 10); err != nil {
			break
		}
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := p.AllocContext(context.Background(), 1000); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(10 * time.Millisecond)
	check(t, "reset", p.Reset())
	wg.Wait()
	check(t, "close", p.Close())
}

// Blocks of a pool with zero are zero, and a reset releases the chunks that the policy does not keep.
func TestBumpZero(t *testing.T) {
	p := new(pools.FramePool)
	for range 5 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 300 {
					b, err := p.Alloc(1 + i)
					if err != nil {
						t.Error(err)
						return
					}
					if uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
						t.Error("the block is not aligned")
					}
					for k := range b {
						if b[k] != 0 {
							t.Error("the block is not zero")
						}
						b[k] = 1
					}
				}
			})
		}
		wg.Wait()
		if s := p.Stats(); s.Live != 1200 || s.LiveBytes != 4*4*300*301/2 || s.Allocs != 0 {
			t.Errorf("%+v", s)
		}
		check(t, "reset", p.Reset())
		if s := p.Stats(); s.Reserved != 256<<10 {
			t.Errorf("after a reset: %+v", s)
		}
	}
	check(t, "close", p.Close())
}

// Every number of a pool can be allocated, once.
func TestBumpNumbers(t *testing.T) {
	p := new(pools.SerialPool)
	for _, first := range []uint64{1000, 7, 1 << 40} {
		check(t, "track", p.Track(first, 700))
	}
	for range 2 {
		var mu sync.Mutex
		var all []extent
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					ids, err := p.Alloc(1)
					if err != nil {
						return
					}
					mu.Lock()
					all = append(all, extent{uintptr(ids.First()), uintptr(ids.Len())})
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		disjoint(t, all)
		if len(all) != 2100 {
			t.Errorf("%d numbers of 2100", len(all))
		}
		check(t, "reset", p.Reset())
	}
	check(t, "untrack", p.Untrack(7, 700))
	check(t, "close", p.Close())
}
