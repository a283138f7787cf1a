//go:build cudasim

package pages

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

// A limit that is no multiple of the chunk can be used to the end.
func TestLimitThatIsNoMultiple(t *testing.T) {
	machine(t)
	p := new(OddPool)
	closing(t, p)
	b := must(p.Alloc(12 << 20))
	refused(t, "beyond the limit", second(p.Alloc(1)), runtime.ErrLimit)
	check(t, "free", p.Free(b))
	refused(t, "more than the limit", second(p.Alloc(12<<20+1)), runtime.ErrTooLarge)
}

func TestPrime(t *testing.T) {
	machine(t)
	p := must(NewReadyPool())
	closing(t, p)
	reserved(t, p, 3)
	before := sim.Calls("cuMemCreate")
	b := must(p.Alloc(3 * page))
	if sim.Calls("cuMemCreate") != before {
		t.Error("what was reserved at first is not used")
	}
	check(t, "free", p.Free(b))
}

func TestOptions(t *testing.T) {
	machine(t)
	p := must(NewPlainPool(runtime.WithLimit(3*page), runtime.OnDevice(1)))
	closing(t, p)
	b := must(p.Alloc(3 * page))
	if d := must(b.Addr().Device()); d != 1 {
		t.Errorf("on device %d", d)
	}
	refused(t, "beyond the limit", second(p.Alloc(1)), runtime.ErrLimit)
	check(t, "free", p.Free(b))
}

// Peers have access to pages whenever they came.
func TestPagesForPeers(t *testing.T) {
	machine(t)
	p := new(PeeredPool)
	closing(t, p)
	s := must(cuda.Device(1).NewStream(cuda.NonBlocking))
	for range 2 {
		a, b := must(p.Alloc(page)), must(p.Alloc(3*page))
		for _, x := range []PeeredSpan{a, b} {
			check(t, "write", cuda.MemsetAsync(x.Addr(), 1, x.Bytes(), s))
		}
		check(t, "wait", s.Synchronize())
		check(t, "free", p.Free(a))
		must(p.Trim(0))
		check(t, "free", p.Free(b))
	}
	check(t, "close", s.Close())
}

func TestSetLimit(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	closing(t, p)
	a, b, c := must(p.Alloc(page)), must(p.Alloc(page)), must(p.Alloc(page))
	check(t, "free", p.Free(b))
	refused(t, "below what is in use", p.SetLimit(2*page-1), runtime.ErrLive)
	reserved(t, p, 3)
	check(t, "limit", p.SetLimit(2*page))
	reserved(t, p, 2)
	refused(t, "beyond the limit", second(p.Alloc(1)), runtime.ErrLimit)
	check(t, "free", p.Free(a))
	// The limit is below the addresses: what is free elsewhere moves to where it is wanted.
	d := must(p.Alloc(page))
	mapped(t, d, true)
	check(t, "free", p.Free(c))
	check(t, "free", p.Free(d))
	e := must(p.Alloc(2 * page))
	mapped(t, e, true)
	check(t, "free", p.Free(e))
}

// Pages that are free, but not where they are wanted, make room for others.
func TestPagesMove(t *testing.T) {
	machine(t)
	left, right := new(LeftPool), new(RightPool)
	closing(t, left)
	closing(t, right)
	var blocks []LeftSpan
	for range 8 {
		blocks = append(blocks, must(left.Alloc(page)))
	}
	refused(t, "beyond the budget", second(right.Alloc(1)), runtime.ErrLimit)
	for i := 0; i < 8; i += 2 {
		check(t, "free", left.Free(blocks[i]))
	}
	wide := must(left.Alloc(4 * page)) // of four single pages
	mapped(t, wide, true)
	reserved(t, left, 8)
	refused(t, "beyond the budget", second(left.Alloc(page)), runtime.ErrLimit)
	check(t, "free", left.Free(wide))
	refused(t, "more than there is", second(left.Alloc(5*page)), runtime.ErrLimit)
	reserved(t, left, 8) // a failure gives nothing away
	for i := 1; i < 8; i += 2 {
		check(t, "free", left.Free(blocks[i]))
	}
	refused(t, "the budget is the other's", second(right.Alloc(1)), runtime.ErrLimit)
	must(left.Trim(0))
	b := must(right.Alloc(8 * page))
	check(t, "free", right.Free(b))
}
