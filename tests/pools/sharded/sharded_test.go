package sharded

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// pool has the methods that the tests need of a pool of bytes.
type pool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Stats() poolrt.Stats
	Trim(keep int64) (int64, error)
	Close() error
}

var subjects = map[string]func() pool{
	"heap":    func() pool { return new(pools.HeapPool) },
	"best":    func() pool { return new(pools.BestPool) },
	"binned":  func() pool { return new(pools.BinnedPool) },
	"classed": func() pool { return new(pools.ClassedPool) },
	"ring":    func() pool { return new(pools.RingPool) },
	"direct":  func() pool { return new(pools.DirectPool) },
	"locked":  func() pool { return new(pools.LockedPool) },
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// report is check for goroutines that the test has started, which must not end it. It reports whether err is nil.
func report(t *testing.T, what string, err error) bool {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	return err == nil
}

// fill fills a block with its length: by copies, as the race detector looks at each byte that is written by itself.
func fill(b []byte) {
	b[0] = byte(len(b))
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// Goroutines allocate, write, pass on, verify and free, while others trim and count: blocks keep their contents.
func TestOwners(t *testing.T) {
	for name, fresh := range subjects {
		t.Run(name, func(t *testing.T) {
			p := fresh()
			handed := make(chan []byte, 64)
			var workers sync.WaitGroup
			var failed atomic.Int64
			for id := range 8 {
				workers.Go(func() {
					r := rand.New(rand.NewPCG(uint64(id), 1))
					var held [][]byte
					free := func(b []byte) {
						for _, at := range []int{0, len(b) / 2, len(b) - 1} {
							if b[at] != byte(len(b)) {
								t.Errorf("byte %d of %d is %d", at, len(b), b[at])
							}
						}
						if err := p.Free(b); err != nil {
							t.Error(err)
						}
					}
					for range 3000 {
						switch k := r.IntN(10); {
						case k < 5:
							b, err := p.Alloc(1 + r.IntN([]int{100, 3000, 60000}[r.IntN(3)]))
							if err != nil {
								failed.Add(1)
								if !errors.Is(err, poolrt.ErrLimit) {
									t.Error(err)
								}
								continue
							}
							fill(b)
							held = append(held, b)
						case k < 7 && len(held) > 0:
							free(held[0])
							held = held[1:]
						case k < 8 && len(held) > 0:
							select {
							case handed <- held[0]:
								held = held[1:]
							default:
							}
						case k < 9:
							select {
							case b := <-handed:
								free(b)
							default:
							}
						default:
							if r.IntN(20) == 0 {
								if _, err := p.Trim(0); err != nil {
									t.Error(err)
								}
							}
							if s := p.Stats(); s.Live < 0 || s.Reserved > 8<<20 {
								t.Errorf("%+v", s)
							}
						}
						if len(held) > 40 {
							for _, b := range held[20:] {
								free(b)
							}
							held = held[:20]
						}
					}
					for _, b := range held {
						free(b)
					}
				})
			}
			workers.Wait()
			close(handed)
			for b := range handed {
				check(t, "free", p.Free(b))
			}
			if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 || s.Allocs != s.Frees || s.PeakBytes > s.PeakReserved {
				t.Errorf("%+v", s)
			}
			t.Logf("%+v, %d at the limit", p.Stats(), failed.Load())
			check(t, "close", p.Close())
		})
	}
}

// Any goroutine can allocate all memory of a pool, whichever goroutine had it before.
func TestStrict(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, fresh := range subjects {
		t.Run(name, func(t *testing.T) {
			p := fresh()
			fill := func() (all [][]byte) {
				for {
					b, err := p.Alloc(16 << 10)
					if err != nil {
						return all
					}
					all = append(all, b)
				}
			}
			first := fill()
			for _, b := range first {
				check(t, "free", p.Free(b))
			}
			most := len(first)
			if most < 256 {
				t.Errorf("only %d of 512 blocks", most)
			}
			for range 5 {
				var wg sync.WaitGroup
				var mu sync.Mutex
				var all [][]byte
				for range 4 { // by several at once
					wg.Go(func() {
						mine := fill()
						mu.Lock()
						all = append(all, mine...)
						mu.Unlock()
					})
				}
				wg.Wait()
				if len(all) < most {
					t.Errorf("%d blocks, there were %d", len(all), most)
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
		})
	}
}

// In a full pool, two adjacent free ranges can hold a block of their common size, whichever goroutines freed them.
func TestNeighbours(t *testing.T) {
	for _, name := range []string{"heap", "best", "classed", "locked"} {
		t.Run(name, func(t *testing.T) {
			p := subjects[name]()
			var mu sync.Mutex
			var all [][]byte
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for b, err := p.Alloc(1000); err == nil; b, err = p.Alloc(1000) {
						mu.Lock()
						all = append(all, b)
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			slices.SortFunc(all, func(a, b []byte) int { return cmp.Compare(address(a), address(b)) })
			var left [][]byte
			pairs := 0
			for k := 0; k < len(all); k++ {
				if pairs < 50 && k%20 == 19 && address(all[k])-address(all[k-1]) <= 1024 {
					check(t, "free", p.Free(all[k]))
					check(t, "free", p.Free(left[len(left)-1]))
					left = left[:len(left)-1]
					pairs++
				} else {
					left = append(left, all[k])
				}
			}
			if s := p.Stats(); pairs < 50 || s.LargestFree < 2000 {
				t.Errorf("%d pairs, %+v", pairs, s)
			}
			for range pairs {
				b, err := p.Alloc(2000)
				check(t, "alloc", err)
				left = append(left, b)
			}
			for _, b := range left {
				check(t, "free", p.Free(b))
			}
			if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 || name == "heap" && s.LargestFree != 256<<10 {
				t.Errorf("%+v", s)
			}
			check(t, "close", p.Close())
		})
	}
}

// Of two frees of one block at the same time, one is refused.
func TestSimultaneousFrees(t *testing.T) {
	for name, fresh := range subjects {
		t.Run(name, func(t *testing.T) {
			p := fresh()
			for range 300 {
				b, err := p.Alloc(1000)
				check(t, "alloc", err)
				var freed, refused atomic.Int64
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() {
						switch err := p.Free(b); {
						case err == nil:
							freed.Add(1)
						case errors.Is(err, poolrt.ErrInvalidFree):
							refused.Add(1)
						default:
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if freed.Load() != 1 || refused.Load() != 2 {
					t.Fatalf("%d frees succeeded, %d were refused", freed.Load(), refused.Load())
				}
			}
			check(t, "close", p.Close())
		})
	}
}

// Close fails while a block is live. Calls after it closed the pool return ErrClosed.
func TestCloseAmongOthers(t *testing.T) {
	for name, fresh := range subjects {
		t.Run(name, func(t *testing.T) {
			for range 30 {
				p := fresh()
				var wg sync.WaitGroup
				var enough atomic.Bool // on many processors there is always a block live
				for range 4 {
					wg.Go(func() {
						for !enough.Load() {
							b, err := p.Alloc(100)
							if errors.Is(err, poolrt.ErrClosed) {
								return
							}
							if !report(t, "alloc", err) {
								return
							}
							b[0] = 1
							report(t, "free", p.Free(b))
						}
					})
				}
				for tries := 0; ; tries++ {
					enough.Store(tries > 10)
					err := p.Close()
					if err == nil {
						break
					}
					if !errors.Is(err, poolrt.ErrLive) {
						t.Error(err)
					}
					runtime.Gosched()
				}
				wg.Wait()
				if s := p.Stats(); s.Live != 0 || s.Reserved != 0 {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

// A goroutine that waits for a block gets one that is freed.
func TestWaiting(t *testing.T) {
	p := new(pools.SmallPool)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				b, err := p.Alloc(100 << 10)
				if !report(t, "alloc", err) {
					return
				}
				runtime.Gosched()
				report(t, "free", p.Free(b))
			}
		})
	}
	wg.Wait()
	check(t, "close", p.Close())
}
