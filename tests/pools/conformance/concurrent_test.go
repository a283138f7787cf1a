package conformance

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// bytesPool is a pool of bytes, whatever its suballocator.
type bytesPool interface {
	Alloc(int) ([]byte, error)
	Free([]byte) error
	Stats() poolrt.Stats
	Trim(int64) (int64, error)
	Poll() int
	Close() error
}

// blocks presents a pool of single blocks as a pool of bytes.
type blocks struct{ *BlockPool }

func (b blocks) Alloc(int) ([]byte, error) {
	block, err := b.BlockPool.Alloc()
	if err != nil {
		return nil, err
	}
	return block[:], nil
}

func (b blocks) Free(s []byte) error { return b.BlockPool.Free((*BlockBlock)(s)) }

// shared returns new pools for several goroutines, one for each suballocator whose blocks are freed one by one.
func shared() map[string]bytesPool {
	return map[string]bytesPool{
		"fixed": blocks{new(BlockPool)}, "good": new(SmallPool), "first": new(FirstPool), "best": new(BestPool),
		"binned": new(BinnedPool), "classes": new(CachedPool), "ring": new(RingPool), "none": new(DirectPool),
	}
}

// Every suballocator serves several goroutines at once while another reads its counters and trims it: no two goroutines get the same byte, the
// contents of blocks stay, and no memory is lost at the limit.
func TestConcurrentUse(t *testing.T) {
	for name, p := range shared() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan struct{})
			var watcher, workers sync.WaitGroup
			watcher.Go(func() { watch(t, p, done) })
			var allocs, frees atomic.Int64
			for seed := range uint64(4) {
				workers.Go(func() { work(t, p, seed, &allocs, &frees) })
			}
			workers.Wait()
			close(done)
			watcher.Wait()
			s := p.Stats()
			if s.Live != 0 || s.LiveBytes != 0 || s.Allocs != allocs.Load() || s.Frees != frees.Load() {
				t.Errorf("%+v after %d allocs and %d frees", s, allocs.Load(), frees.Load())
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// watch reads the counters and trims until the workers are done.
func watch(t *testing.T, p bytesPool, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		s := p.Stats()
		if s.Reserved > s.Limit || s.Live < 0 || s.LiveBytes > s.Reserved || s.Allocs-s.Frees != s.Live {
			t.Errorf("inconsistent or beyond the limit: %+v", s)
			return
		}
		if _, err := p.Trim(s.Reserved / 2); err != nil {
			t.Error(err)
		}
		p.Poll()
	}
}

// work allocates, fills, checks and frees at random.
func work(t *testing.T, p bytesPool, seed uint64, allocs, frees *atomic.Int64) {
	r := rand.New(rand.NewPCG(seed, 0))
	mark := byte(seed + 1)
	var live [][]byte
	for range 2000 {
		if len(live) < 30 && r.IntN(2) == 0 {
			b, err := p.Alloc(1 + r.IntN(1<<r.IntN(14)))
			if errors.Is(err, poolrt.ErrLimit) {
				continue
			}
			if err != nil {
				t.Error(err)
				return
			}
			allocs.Add(1)
			for i := range b {
				b[i] = mark
			}
			live = append(live, b)
		} else if len(live) > 0 {
			i := r.IntN(len(live))
			b := live[i]
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			give(t, p, b, mark)
			frees.Add(1)
		}
	}
	for _, b := range live {
		give(t, p, b, mark)
		frees.Add(1)
	}
}

// give checks the contents of a block and frees it.
func give(t *testing.T, p bytesPool, b []byte, mark byte) {
	for i, v := range b {
		if v != mark {
			t.Errorf("byte %d of %d is %d, not %d", i, len(b), v, mark)
			break
		}
	}
	if err := p.Free(b); err != nil {
		t.Error(err)
	}
}

// If no goroutine allocates, exactly one of several simultaneous frees of a block succeeds.
func TestSimultaneousFrees(t *testing.T) {
	for name, p := range shared() {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				b := must[[]byte](t)(p.Alloc(100))
				var freed atomic.Int32
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() {
						if err := p.Free(b); err == nil {
							freed.Add(1)
						} else if !errors.Is(err, poolrt.ErrInvalidFree) {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if freed.Load() != 1 {
					t.Fatalf("%d of 3 frees succeeded", freed.Load())
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
