//go:build cudasim

package pages

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// A limit that is not a multiple of the chunk size can be used up.
func TestLimitThatIsNoMultiple(t *testing.T) {
	machine(t)
	p := new(OddPool)
	rig.Closing(t, p)
	b := rig.Must(p.Alloc(12 << 20))
	rig.Refused(t, "beyond the limit", rig.Second(p.Alloc(1)), poolrt.ErrLimit)
	rig.Check(t, "free", p.Free(b))
	rig.Refused(t, "more than the limit", rig.Second(p.Alloc(12<<20+1)), poolrt.ErrTooLarge)
}

func TestPrimedPagesAreUsedFirst(t *testing.T) {
	machine(t)
	p := rig.Must(NewReadyPool())
	rig.Closing(t, p)
	reserved(t, p, 3)
	before := sim.Calls("cuMemCreate")
	b := rig.Must(p.Alloc(3 * page))
	if sim.Calls("cuMemCreate") != before {
		t.Error("the initial memory is not used")
	}
	rig.Check(t, "free", p.Free(b))
}

func TestOptionsOfLimitAndDevice(t *testing.T) {
	machine(t)
	p := rig.Must(NewPlainPool(poolrt.WithLimit(3*page), poolrt.OnDevice(1)))
	rig.Closing(t, p)
	b := rig.Must(p.Alloc(3 * page))
	if d := rig.Must(b.Addr().Device()); d != 1 {
		t.Errorf("on device %d", d)
	}
	rig.Refused(t, "beyond the limit", rig.Second(p.Alloc(1)), poolrt.ErrLimit)
	rig.Check(t, "free", p.Free(b))
}

// Peers have access to all pages, whenever they were mapped.
func TestPagesForPeers(t *testing.T) {
	machine(t)
	p := new(PeeredPool)
	rig.Closing(t, p)
	s := rig.Must(cuda.Device(1).NewStream(cuda.NonBlocking))
	for range 2 {
		a, b := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(3*page))
		for _, x := range []PeeredSpan{a, b} {
			rig.Check(t, "write", cuda.MemsetAsync(x.Addr(), 1, x.Bytes(), s))
		}
		rig.Check(t, "wait", s.Synchronize())
		rig.Check(t, "free", p.Free(a))
		rig.Must(p.Trim(0))
		rig.Check(t, "free", p.Free(b))
	}
	rig.Check(t, "close", s.Close())
}

func TestSetLimitReleasesFreePages(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	a, b, c := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page))
	rig.Check(t, "free", p.Free(b))
	rig.Refused(t, "below what is in use", p.SetLimit(2*page-1), poolrt.ErrLive)
	reserved(t, p, 3)
	rig.Check(t, "limit", p.SetLimit(2*page))
	reserved(t, p, 2)
	rig.Refused(t, "beyond the limit", rig.Second(p.Alloc(1)), poolrt.ErrLimit)
	rig.Check(t, "free", p.Free(a))
	// The limit is less than the reserved addresses: free pages are unmapped to map others.
	d := rig.Must(p.Alloc(page))
	mapped(t, d, true)
	rig.Check(t, "free", p.Free(c))
	rig.Check(t, "free", p.Free(d))
	e := rig.Must(p.Alloc(2 * page))
	mapped(t, e, true)
	rig.Check(t, "free", p.Free(e))
}

// Free pages at other addresses are unmapped for a request that they cannot serve.
func TestPagesMove(t *testing.T) {
	machine(t)
	left, right := new(LeftPool), new(RightPool)
	rig.Closing(t, left)
	rig.Closing(t, right)
	var blocks []LeftSpan
	for range 8 {
		blocks = append(blocks, rig.Must(left.Alloc(page)))
	}
	rig.Refused(t, "beyond the budget", rig.Second(right.Alloc(1)), poolrt.ErrLimit)
	for i := 0; i < 8; i += 2 {
		rig.Check(t, "free", left.Free(blocks[i]))
	}
	wide := rig.Must(left.Alloc(4 * page)) // its place is free in four single pages
	mapped(t, wide, true)
	reserved(t, left, 8)
	rig.Refused(t, "beyond the budget", rig.Second(left.Alloc(page)), poolrt.ErrLimit)
	rig.Check(t, "free", left.Free(wide))
	rig.Refused(t, "more than there is", rig.Second(left.Alloc(5*page)), poolrt.ErrLimit)
	reserved(t, left, 8) // a failure releases nothing
	for i := 1; i < 8; i += 2 {
		rig.Check(t, "free", left.Free(blocks[i]))
	}
	one := rig.Must(right.Alloc(1)) // the other pool returns as much as is lacking
	reserved(t, left, 7)
	rig.Check(t, "free", right.Free(one))
	b := rig.Must(right.Alloc(8 * page))
	reserved(t, left, 0)
	rig.Check(t, "free", right.Free(b))
}
