package scenario

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/schedules/explore"
	"github.com/poolgen/poolgen/tests/schedules/explore/atomic"
)

// toy hands out the units of one chunk, each by one atomic operation or, with a fault, by two.
type toy struct {
	base   uint64
	units  [4]atomic.Uint32
	n      uint64
	allocs atomic.Uint64
	torn   bool
}

func (p *toy) Add(_ uint32, base, size uint64) { p.base, p.n = base, size/8 }

func (p *toy) Evict(uint32) bool { p.n = 0; return true }

func (p *toy) AllocAny(_, _ uint64) (slot uint32, off uint64, ok bool) {
	for i := range p.n {
		u := &p.units[i]
		if p.torn && u.Load() == 0 {
			u.Store(1)
			ok = true
		}
		if ok || u.CompareAndSwap(0, 1) {
			p.allocs.Add(1)
			return 0, 8 * i, true
		}
	}
	return 0, 0, false
}

func (p *toy) Free(addr, _ uint64) (uint32, poolimpl.Verdict) {
	if p.units[(addr-p.base)/8].CompareAndSwap(1, 0) {
		return 0, poolimpl.Freed
	}
	return 0, poolimpl.Double
}

func (p *toy) Shut(bool) bool { return true }

func (p *toy) Usage() (u poolimpl.Usage) {
	for i := range p.n {
		u.Live += uint64(p.units[i].Load())
	}
	u.LiveBytes, u.PeakBytes, u.Allocs = 8*u.Live, 8*u.Live, p.allocs.Load()
	return u
}

// The oracle accepts what a sequential allocator could do, and nothing else.
func TestOracle(t *testing.T) {
	for _, torn := range []bool{false, true} {
		none := func(Pool, uint64) (uint32, uint64, bool) { return 0, 0, false }
		s := Subject{Name: "toy", Unit: 8, New: func() Pool { return &toy{torn: torn} }, Fast: none, Near: none, Check: func(Pool) {},
			Scenarios: []Scenario{{Name: "two", Chunks: []uint64{2}, Before: "A", Threads: []string{"A", "f0 A"}}}}
		r := explore.Explore(explore.Options{Bound: explore.Budget{Preemptions: 2}}, s.Cases()[0].Program)
		if found := strings.Contains(string(r.Fault), "no order of the operations explains their results"); found != torn || torn == r.Exhausted {
			t.Errorf("torn: %t: %+v", torn, r)
		}
	}
}
