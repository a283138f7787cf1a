//go:build cudasim

package pages

import (
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// shrinks checks that a pool shrinks to the given number of pages by itself.
func shrinks[S span](t *testing.T, p pool[S], pages int64, poll func() int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); p.Stats().Reserved > pages*page; poll() {
		if time.Now().After(deadline) {
			t.Fatalf("idle pages stay: %+v", p.Stats())
		}
		time.Sleep(time.Millisecond)
	}
	reserved(t, p, pages)
}

// lone fills pages with blocks and frees all but the first.
func lone[S span](t *testing.T, p pool[S], bytes int, poll func() int) S {
	machine(t)
	rig.Closing(t, p)
	var held []S
	for p.Stats().Reserved < 6*page {
		held = append(held, rig.Must(p.Alloc(bytes)))
	}
	time.Sleep(30 * time.Millisecond)
	poll() // no page is idle now, and none is due
	for _, b := range held[1:] {
		rig.Check(t, "free", p.Free(b))
	}
	return held[0]
}

// Free blocks in bins and in the caches of classes do not keep pages that have been free for long.
func TestIdlePagesBehindBins(t *testing.T) {
	small, sizes := new(IdleBinsPool), new(IdleSizesPool)
	t.Run("binned", func(t *testing.T) {
		b := lone(t, small, 4000, small.Poll)
		shrinks(t, small, 1, small.Poll)
		rig.Check(t, "free", small.Free(b))
		shrinks(t, small, 0, small.Poll)
	})
	t.Run("classes", func(t *testing.T) {
		b := lone(t, sizes, 100<<10, sizes.Poll)
		shrinks(t, sizes, 1, sizes.Poll)
		rig.Check(t, "free", sizes.Free(b))
		shrinks(t, sizes, 0, sizes.Poll)
	})
}

// A page is released with its last slab, and stays while a bin has a free block in it.
func TestPagesGoWithSlabs(t *testing.T) {
	p := new(QuickBinsPool)
	b := lone(t, p, 4000, p.Poll)
	if s := p.Stats(); s.Reserved > 3*page {
		t.Errorf("%+v", s)
	}
	rig.Check(t, "free", p.Free(b))
	reserved(t, p, 0)
}

// A page is released only after it was free for the policy's idle time, whatever was in it before.
func TestPagesAreIdleForLong(t *testing.T) {
	machine(t)
	p, sizes := new(IdlePool), new(IdleSizesPool)
	rig.Closing(t, p)
	rig.Closing(t, sizes)
	a := rig.Must(p.Alloc(page))
	var halves [4]IdleSizesSpan
	for i := range halves {
		halves[i] = rig.Must(sizes.Alloc(page / 2))
	}
	time.Sleep(30 * time.Millisecond)
	sizes.Poll()
	rig.Check(t, "free", p.Free(a))
	reserved(t, p, 1)
	rig.Check(t, "free", sizes.Free(halves[2]))
	rig.Check(t, "free", sizes.Free(halves[3]))
	time.Sleep(30 * time.Millisecond)
	sizes.Poll() // the pool finds the page free only now
	reserved(t, sizes, 2)
	rig.Check(t, "free", sizes.Free(halves[0]))
	rig.Check(t, "free", sizes.Free(halves[1]))
}
