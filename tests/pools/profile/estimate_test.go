//go:build !pooltrace

package profile

import (
	"math"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// workers is how many goroutines use a pool at once.
const workers = 4

// rounds is how often each of them allocates a block of each size. With -short, as under the race detector, it samples some hundred blocks of each pool.
func rounds() int {
	if testing.Short() {
		return 5_000
	}
	return 100_000
}

// kept is how many of its last blocks a goroutine keeps of each size.
const kept = 256

// load allocates blocks of all sizes, frees most of them, and returns the number of blocks of each size that were allocated.
func (f form) load(t *testing.T) (each int) {
	var all sync.WaitGroup
	each = rounds()
	use := func() {
		for _, size := range f.sizes {
			f.use(t, each, size)
		}
	}
	if f.alone || f.free == nil {
		use()
		return each
	}
	for range workers {
		all.Go(use)
	}
	all.Wait()
	return workers * each
}

// use is one goroutine of load.
func (f form) use(t *testing.T, n, size int) {
	held := make([][]byte, kept)
	for i := range n {
		if f.free == nil && i%kept == 0 {
			if err := f.reset(); err != nil {
				t.Error(err)
			}
		}
		if b := held[i%kept]; b != nil && f.free != nil {
			if err := f.free(b); err != nil {
				t.Error(err)
			}
		}
		b, err := f.alloc(size)
		if err != nil {
			t.Error(err)
			return
		}
		held[i%kept] = b
	}
}

// spread bounds the error of an estimate: its variance, and the largest share of a single block.
type spread struct{ variance, most float64 }

// spreads are those of the number of blocks and of their bytes.
type spreads struct{ blocks, bytes spread }

// add adds n blocks of a size. A block is sampled with the probability p, and stands for 1/p blocks then.
func (s *spreads) add(n, size int) {
	p := -math.Expm1(-float64(size) / (512 * kib))
	s.blocks.add(float64(n)*(1-p)/p, 1/p)
	s.bytes.add(float64(n)*(1-p)/p*float64(size)*float64(size), float64(size)/p)
}

func (s *spread) add(variance, most float64) {
	s.variance, s.most = s.variance+variance, max(s.most, most)
}

// bound returns an error that is exceeded with a probability of e^-40 at most, by Bernstein's inequality: about nine standard deviations if there are many samples.
func (s spread) bound() float64 {
	const l = 40
	b := s.most * l / 3
	return b + math.Sqrt(b*b+2*l*s.variance)
}

// near requires that an estimate is as close to what is right as it has to be.
func near(t *testing.T, what string, got, want int64, s spread) {
	t.Helper()
	if d := math.Abs(float64(got - want)); d > s.bound()+1 {
		t.Errorf("%s: %d, want %d: %.1f standard deviations away", what, got, want, d/math.Sqrt(s.variance))
	}
}

// In all pools, whatever the suballocator and the number of goroutines, the profile estimates what the pool has counted: blocks and bytes, allocated and live.
func TestEstimates(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds sample all blocks")
	}
	forms := small()
	allocs := make([]int, len(forms))
	for i, f := range forms {
		allocs[i] = f.load(t)
	}
	got := read(t)
	for i, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			var all, live spreads
			s, g, bytes := f.Stats(), got["profile."+f.name], int64(0)
			for _, size := range f.sizes {
				all.add(allocs[i], size)
				live.add(int(s.Live)/len(f.sizes), size)
				bytes += int64(allocs[i] * size)
			}
			near(t, "allocs", g.allocs, s.Allocs, all.blocks)
			near(t, "bytes allocated", g.allocBytes, bytes, all.bytes)
			near(t, "live", g.live, s.Live, live.blocks)
			near(t, "bytes live", g.liveBytes, s.LiveBytes, live.bytes)
			fatal.If(t, f.CloseForce())
		})
	}
}
