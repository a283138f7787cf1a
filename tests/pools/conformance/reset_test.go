package conformance

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// dropping has the methods of a pool of bytes that Reset needs.
type dropping interface {
	Alloc(int) ([]byte, error)
	Free([]byte) error
	Reset() error
	Stats() poolrt.Stats
	Close() error
}

// resettable lists pools whose live blocks Reset frees.
func resettable() map[string]dropping {
	return map[string]dropping{"heap": new(SmallPool), "first": new(FirstPool), "best": new(BestPool), "binned": new(BinnedPool), "classes": new(CachedPool)}
}

// Reset frees what is live. Single frees work between resets, and a free of what Reset has freed is refused.
func TestResetFreesLiveBlocks(t *testing.T) {
	for name, p := range resettable() {
		t.Run(name, func(t *testing.T) {
			want(t, p.Reset(), nil)
			for turn := range 5 {
				var live [][]byte
				for n := range 200 {
					b := must[[]byte](t)(p.Alloc(1 + n*7))
					b[0] = byte(n)
					live = append(live, b)
				}
				for i := 0; i < len(live); i += 3 {
					want(t, p.Free(live[i]), nil)
				}
				before := p.Stats()
				want(t, p.Reset(), nil)
				s := p.Stats()
				if s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 || s.Allocs != before.Allocs || s.Frees != s.Allocs {
					t.Errorf("turn %d: %+v, before %+v", turn, s, before)
				}
				for _, b := range live {
					want(t, p.Free(b), poolrt.ErrInvalidFree)
				}
			}
			whole := must[[]byte](t)(p.Alloc(64 << 10)) // a chunk, or a good part of one
			want(t, p.Close(), poolrt.ErrLive)
			want(t, p.Free(whole), nil)
			want(t, p.Close(), nil)
			want(t, p.Reset(), poolrt.ErrClosed)
		})
	}
}

// Between resets the blocks of a pool are apart, whatever was live before.
func TestBlocksAfterResetAreApart(t *testing.T) {
	for name, p := range resettable() {
		t.Run(name, func(t *testing.T) {
			for turn := range 20 {
				owner := map[uintptr]int{}
				for n := range 100 {
					b := must[[]byte](t)(p.Alloc(1 + (n*37+turn*101)%3000))
					for at := range b {
						where := uintptr(unsafe.Pointer(&b[at]))
						if other, taken := owner[where]; taken {
							t.Fatalf("turn %d: block %d overlaps block %d", turn, n, other)
						}
						owner[where] = n
					}
				}
				want(t, p.Reset(), nil)
			}
			want(t, p.Close(), nil)
		})
	}
}

// A pool that another one has borrowed from cannot be reset. The borrower can, and returns what it has borrowed.
func TestResetOfALender(t *testing.T) {
	var p NarrowPool
	defer p.Close()
	must[[]byte](t)(p.Alloc(60 << 10))
	b := must[[]byte](t)(p.Alloc(60 << 10)) // of the package's Heap
	want(t, heapDefault.Reset(), poolrt.ErrLive)
	want(t, p.Reset(), nil)
	want(t, p.Free(b), poolrt.ErrInvalidFree)
	if n := heapDefault.Stats().Live; n != 0 {
		t.Errorf("the lender has %d live blocks", n)
	}
	want(t, heapDefault.Reset(), nil)
}

// BenchmarkReset compares Reset with the free of each block, for 2,000 blocks of 1 to 7 KiB. ns/all is the time of Reset or of all frees.
func BenchmarkReset(b *testing.B) {
	pools := map[string]dropping{"heap": new(HeapPool), "binned": new(WideBinsPool), "classes": new(WideClassesPool)}
	for _, name := range []string{"heap", "binned", "classes"} {
		for _, how := range []string{"free", "reset"} {
			b.Run(fmt.Sprintf("%s/%s", name, how), func(b *testing.B) { benchReset(b, pools[name], how == "reset") })
		}
	}
}

func benchReset(b *testing.B, p dropping, reset bool) {
	live := make([][]byte, 2000)
	var took time.Duration
	for range b.N {
		for i := range live {
			live[i] = must[[]byte](b)(p.Alloc(1000 + i%64*100))
		}
		start := time.Now()
		if reset {
			want(b, p.Reset(), nil)
		} else {
			for _, block := range live {
				fatal.If(b, p.Free(block))
			}
		}
		took += time.Since(start)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/all")
}

// One goroutine allocates and frees its own blocks while another resets the pool. Afterwards the figures add up.
func TestResetMeanwhile(t *testing.T) {
	for name, p := range map[string]dropping{"heap": new(SmallPool), "sharded": new(SharedHeapPool)} {
		t.Run(name, func(t *testing.T) {
			for turn := range 50 {
				var both sync.WaitGroup
				both.Go(func() {
					for range 100 {
						b := must[[]byte](t)(p.Alloc(100))
						if err := p.Free(b); !errors.Is(err, poolrt.ErrInvalidFree) { // Reset came between
							want(t, err, nil)
						}
					}
				})
				both.Go(func() {
					for range 20 {
						want(t, p.Reset(), nil)
					}
				})
				both.Wait()
				want(t, p.Reset(), nil)
				if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.RoundingBytes != 0 || s.Frees != s.Allocs {
					t.Fatalf("turn %d: %v", turn, s)
				}
			}
			want(t, p.Close(), nil)
		})
	}
}
