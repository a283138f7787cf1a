//go:build cudasim

package pages

import (
	"errors"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

const page = 2 << 20

// span has the methods that all spans of these pools have.
type span interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// pool has the methods that the tests need.
type pool[S span] interface {
	Alloc(n int) (S, error)
	Free(S) error
	Trim(keep int64) (int64, error)
	SetLimit(int64) error
	Stats() poolrt.Stats
	Close() error
}

// reserved checks that a pool holds the given number of pages.
func reserved[S span](t *testing.T, p pool[S], pages int64) {
	t.Helper()
	if s := p.Stats(); s.Reserved != pages*page {
		t.Errorf("%d bytes reserved, want %d pages; %+v", s.Reserved, pages, s)
	}
}

// mapped checks whether there is memory at a block.
func mapped(t *testing.T, b span, want bool) {
	t.Helper()
	err := cuda.Memset(b.Addr(), 7, b.Bytes())
	if (err == nil) != want {
		t.Errorf("memory at %v: %v, want some: %t", b.Addr(), err, want)
	}
	if err == nil {
		rig.Check(t, "wait", rig.Must(b.Addr().Device()).Synchronize())
	}
}

func TestGrowthIsInPlace(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	a, b := rig.Must(p.Alloc(page/2)), rig.Must(p.Alloc(page))
	if b.Addr() != a.Addr()+page/2 {
		t.Errorf("blocks at %v and %v are not adjacent", a.Addr(), b.Addr())
	}
	reserved(t, p, 2) // the second block lies across both pages
	mapped(t, b, true)
	c := rig.Must(p.Alloc(20 << 20))
	if c.Addr() != b.Addr()+page {
		t.Errorf("a large block is at %v, want %v, after the others", c.Addr(), b.Addr()+page)
	}
	mapped(t, c, true)
	reserved(t, p, 12) // 23 MiB
	if n := sim.Calls("cuMemAddressReserve"); n != 1 {
		t.Errorf("%d reservations of addresses", n)
	}
	if s := p.Stats(); s.Chunks != 12 || s.LargestFree != page/2 {
		t.Errorf("%+v", s)
	}
	for _, x := range []PlainSpan{a, b, c} {
		rig.Check(t, "free", p.Free(x))
	}
	if s := p.Stats(); s.LargestFree != 12*page {
		t.Errorf("all memory is free, and the largest range has %d", s.LargestFree)
	}
}

// trimMiddle unmaps the page between two blocks, and maps it again.
func trimMiddle[S span](t *testing.T, p pool[S], page int64) {
	machine(t)
	rig.Closing(t, p)
	n := int(page)
	a, b, c := rig.Must(p.Alloc(n)), rig.Must(p.Alloc(n)), rig.Must(p.Alloc(n))
	rig.Check(t, "free", p.Free(b))
	if got := rig.Must(p.Trim(0)); got != page {
		t.Errorf("trim gave %d back, want %d", got, page)
	}
	mapped(t, a, true)
	mapped(t, b, false)
	mapped(t, c, true)
	again := rig.Must(p.Alloc(n))
	if again.Addr() != b.Addr() {
		t.Errorf("memory was mapped at %v, although there is room at %v", again.Addr(), b.Addr())
	}
	mapped(t, again, true)
	if s := p.Stats(); s.Reserved != 3*page || s.Chunks != 3 {
		t.Errorf("%+v", s)
	}
	for _, x := range []S{a, c, again} {
		rig.Check(t, "free", p.Free(x))
	}
	if got := rig.Must(p.Trim(page)); got != 2*page {
		t.Errorf("trim gave %d back, want %d", got, 2*page)
	}
}

func TestPagesGoFromTheMiddle(t *testing.T) {
	t.Run("good fit", func(t *testing.T) { trimMiddle(t, new(PlainPool), page) })
	t.Run("first fit", func(t *testing.T) { trimMiddle(t, new(FirstPool), page) })
	t.Run("best fit", func(t *testing.T) { trimMiddle(t, new(BestPool), page) })
	t.Run("no lock", func(t *testing.T) { trimMiddle(t, new(AlonePool), page) })
	t.Run("streams", func(t *testing.T) { trimMiddle(t, new(FlowPool), page) })
	t.Run("sharded", func(t *testing.T) { trimMiddle(t, new(ManyPool), page) })
	t.Run("binned", func(t *testing.T) { trimMiddle(t, new(BinnedPool), page) })
	t.Run("classes", func(t *testing.T) { trimMiddle(t, new(ClassedPool), page) })
	t.Run("large pages", func(t *testing.T) { trimMiddle(t, new(CoarsePool), 4*page) })
	t.Run("no limit", func(t *testing.T) { trimMiddle(t, new(OpenPool), page) })
}

// Trim also releases the free blocks of bins and the caches of classes.
func TestTrimTakesWhatIsKept(t *testing.T) {
	machine(t)
	small, sizes := new(BinnedPool), new(ClassedPool)
	rig.Closing(t, small)
	rig.Closing(t, sizes)
	b, c := rig.Must(small.Alloc(100)), rig.Must(sizes.Alloc(100<<10))
	rig.Check(t, "free", small.Free(b))
	rig.Check(t, "free", sizes.Free(c))
	rig.Must(small.Trim(0))
	rig.Must(sizes.Trim(0))
	reserved(t, small, 0)
	reserved(t, sizes, 0)
}

func TestGrowthDoubles(t *testing.T) {
	machine(t)
	p := new(DoublingPool)
	rig.Closing(t, p)
	want := int64(0)
	for _, step := range []int64{1, 2, 4, 8, 1} { // 16 in all
		want += step
		for p.Stats().Reserved < want*page {
			rig.Must(p.Alloc(page))
		}
		reserved(t, p, want)
	}
	rig.Check(t, "close", p.CloseForce())
}

// A page that is mapped for an aligned request serves it, however many free ranges there are that are large enough but not aligned.
func TestAlignedGrowth(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 1 << 30})
	p := new(OpenPool)
	var free []OpenSpan
	for range 100 {
		rig.Must(p.Alloc(page / 4))
		free = append(free, rig.Must(p.Alloc(3*page/4)))
	}
	for _, b := range free[1:] {
		rig.Check(t, "free", p.Free(b))
	}
	rig.Must(p.Alloc(3 * page / 4)) // the last range: there is room after it
	for i := range int64(3) {
		b := rig.Must(p.AllocAligned(page/2+1, page))
		mapped(t, b, true)
		reserved(t, p, 101+i)
	}
	rig.Check(t, "close", p.CloseForce())
}

func TestPagesGoAtOnce(t *testing.T) {
	machine(t)
	p := new(QuickPool)
	rig.Closing(t, p)
	a, b, c := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(2*page)), rig.Must(p.Alloc(page))
	rig.Check(t, "free", p.Free(b))
	reserved(t, p, 2)
	mapped(t, b, false) //poolgen:ignore PG102 the access has to fail
	rig.Check(t, "free", p.Free(c))
	rig.Check(t, "free", p.Free(a))
	reserved(t, p, 1)
}

func TestPagesGoWhenIdle(t *testing.T) {
	machine(t)
	p := new(IdlePool)
	rig.Closing(t, p)
	a, b := rig.Must(p.Alloc(2*page)), rig.Must(p.Alloc(page))
	rig.Check(t, "free", p.Free(a))
	p.Poll()
	reserved(t, p, 3)
	for deadline := time.Now().Add(10 * time.Second); p.Stats().Reserved > page; p.Poll() {
		if time.Now().After(deadline) {
			t.Fatal("idle pages stay")
		}
		time.Sleep(time.Millisecond)
	}
	mapped(t, b, true)
	rig.Check(t, "free", p.Free(b))
}

// New pages are clear, even at the addresses of earlier pages.
func TestPagesComeClear(t *testing.T) {
	machine(t)
	p := new(ClearPool)
	rig.Closing(t, p)
	for range 2 {
		b := rig.Must(p.Alloc(2*page + 100))
		back := make([]byte, b.Bytes())
		rig.Check(t, "copy", cuda.CopyToHost(back, b.Addr()))
		for i, x := range back {
			if x != 0 {
				t.Fatalf("byte %d is %d", i, x)
			}
		}
		mapped(t, b, true) // and make it dirty
		rig.Check(t, "free", p.Free(b))
		rig.Must(p.Trim(0))
	}
}

// A free of an address that has no memory, or lies in the middle of a block, is refused.
func TestInvalidFrees(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	a, b := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page))
	rig.Check(t, "free", p.Free(a))
	rig.Must(p.Trim(0))
	for _, x := range []PlainSpan{a, b.Slice(0, page/2), b.Slice(page/2, page), {}} {
		if err := p.Free(x); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Errorf("free of %v: %v", x, err)
		}
	}
	rig.Check(t, "free", p.Free(b))
}
