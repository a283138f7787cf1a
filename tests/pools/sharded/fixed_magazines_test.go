package sharded

import (
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// Blocks in the magazines of processors count as cached, and do not keep their chunks from being released.
func TestFixedMagazinesComeBack(t *testing.T) {
	p := new(pools.KeptPool)
	inMagazine := poolimpl.Pins
	for _, back := range []func() error{
		func() error { _, err := p.Trim(0); return err },
		func() error { return p.SetLimit(256 << 10) },
		p.Close,
	} {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				b, err := p.Alloc()
				if report(t, "alloc", err) {
					report(t, "free", p.Free(b))
				}
			})
		}
		all.Wait()
		if s := p.Stats(); s.Live != 0 || inMagazine && s.Cached == 0 || s.Cached%64 != 0 || s.Reserved == 0 || s.LargestFree != 64 {
			t.Errorf("%+v", s)
		}
		inMagazine = false // for a while
		check(t, "give back", back())
		if s := p.Stats(); s.Cached != 0 || s.Reserved > 256<<10 {
			t.Errorf("%+v", s)
		}
	}
	if s := p.Stats(); s.Allocs != 12 || s.Frees != 12 {
		t.Errorf("%+v", s)
	}
}
