//go:build cudasim

package rungs

import (
	"errors"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

func machine(t *testing.T) {
	t.Helper()
	sim.Reset(sim.Config{Devices: 3, Capacity: 1 << 30, Hazards: true}) // streams stand still
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func refused(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }

// A borrowed block goes back to its pool: at once, or when its stream has passed.
func TestBorrow(t *testing.T) {
	machine(t)
	bigDefault = BigPool{}
	p, lender := new(SmallPool), &bigDefault
	own := must(p.Alloc(64 << 10))
	b := must(p.Alloc(1000))
	if n := lender.Stats().Live; n != 1 {
		t.Fatalf("%d lent", n)
	}
	check(t, "free", p.Free(b))
	refused(t, "free twice", p.Free(b), runtime.ErrInvalidFree)

	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
	b = must(p.AllocOn(1000, s))
	check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	check(t, "free", p.FreeOn(b, s))
	refused(t, "free twice", p.FreeOn(b, s), runtime.ErrDoubleFree)
	if n := p.Poll(); n != 0 || lender.Stats().Live != 1 || p.Stats().Pending != 1 {
		t.Errorf("the stream is at work with what %d frees gave back: %+v", n, lender.Stats())
	}
	sim.RunAll()
	if n := p.Poll(); n != 1 || lender.Stats().Live != 0 || p.Stats().Pending != 0 {
		t.Errorf("%d frees retired: %+v", n, lender.Stats())
	}
	b = must(p.AllocOn(1000, s))
	check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	sim.Fail("cuEventRecord", 1, 1)
	if p.FreeOn(b, s) == nil {
		t.Error("a free that cannot be marked")
	}
	check(t, "free again", p.FreeOn(b, s))
	check(t, "free", p.Free(own))
	check(t, "close", p.Close()) // waits for the stream
	check(t, "close", lender.Close())
	check(t, "stream", s.Close())
}

// Items are lent too, and pools on each device lend to those on the same.
func TestBorrowElsewhere(t *testing.T) {
	machine(t)
	itemDefault, lenderDefault = ItemPool{}, LenderPool{}
	p, lender := new(OtherPool), &itemDefault
	var all []OtherPtr
	for range 300 {
		all = append(all, must(p.Alloc()))
	}
	if n := lender.Stats().Live; n != 300-256 {
		t.Errorf("%d lent", n)
	}
	check(t, "free", p.FreeBatch(all))
	check(t, "close", p.Close())
	check(t, "close", lender.Close())

	each := new(EachPool)
	for d := range 3 {
		q := each.On(d)
		own := must(q.Alloc(64 << 10))
		b := must(q.Alloc(500))
		if at := must(b.Addr().Device()); int(at) != d || lenderDefault.On(d).Stats().Live != 1 {
			t.Errorf("device %d lends to device %d: %+v", at, d, lenderDefault.On(d).Stats())
		}
		check(t, "free", each.Free(b))
		check(t, "free", each.Free(own))
	}
	check(t, "close", each.Close())
	check(t, "close", lenderDefault.Close())
}

// A pool that came to lie on another device does not lend.
func TestOtherDevice(t *testing.T) {
	machine(t)
	bigDefault = BigPool{}
	p := must(NewSmallPool(runtime.OnDevice(1)))
	own := must(p.Alloc(64 << 10))
	refused(t, "alloc", second(p.Alloc(100)), runtime.ErrLimit)
	check(t, "free", p.Free(own))
	check(t, "close", p.Close())
	check(t, "close", bigDefault.Close())
}

// A request that no arena holds comes straight from the driver, within the limit, and goes back by its own route.
func TestStraight(t *testing.T) {
	machine(t)
	p := new(RingPool)
	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
	before := sim.Calls("cuMemAlloc")
	b := must(p.Alloc(100 << 10))
	if st := p.Stats(); st.Live != 1 || st.LiveBytes != 100<<10 || st.Reserved != 100<<10 || st.Allocs != 1 || st.PeakBytes != 100<<10 || sim.Calls("cuMemAlloc") != before+1 {
		t.Errorf("%+v", st)
	}
	refused(t, "above the limit", second(p.Alloc(300<<10)), runtime.ErrTooLarge)
	refused(t, "at the limit", second(p.Alloc(200<<10)), runtime.ErrLimit)
	refused(t, "close", p.Close(), runtime.ErrLive)
	check(t, "free", p.Free(b))
	refused(t, "free twice", p.Free(b), runtime.ErrInvalidFree)
	if st := p.Stats(); st.Live != 0 || st.Reserved != 0 || st.Frees != 1 {
		t.Errorf("%+v", st)
	}
	b = must(p.AllocOn(200<<10, s))
	check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	check(t, "free", p.FreeOn(b, s))
	refused(t, "the stream is at work with it", second(p.Alloc(200<<10)), runtime.ErrLimit)
	if st := p.Stats(); st.Pending != 1 || st.Reserved != 200<<10 || st.Live != 0 {
		t.Errorf("%+v", st)
	}
	sim.RunAll()
	b = must(p.Alloc(200 << 10)) // the rung poll finds it
	check(t, "free", p.FreeAsync(b, s))
	refused(t, "free twice", p.Free(b), runtime.ErrInvalidFree)
	check(t, "close", p.Close())
	check(t, "stream", s.Close())
}

// A free on a stream that goes straight to the driver waits for the stream also when the pool is closed by force.
func TestStraightCloseForce(t *testing.T) {
	machine(t)
	p := new(RingPool)
	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
	a, b := must(p.Alloc(100<<10)), must(p.Alloc(100<<10))
	check(t, "work", cuda.MemsetAsync(a.Addr(), 1, a.Bytes(), s))
	check(t, "free", p.FreeAsync(a, s))
	check(t, "close", p.CloseForce())
	refused(t, "free", p.Free(b), runtime.ErrClosed)
	if st := p.Stats(); st.Reserved != 0 {
		t.Errorf("%+v", st)
	}
	check(t, "stream", s.Close())
}

// Pools of other kinds.
func TestStraightKinds(t *testing.T) {
	machine(t)
	page, heap, stage, quiet := new(PagePool), new(HeapPool), new(StagePool), new(QuietPool)
	must(page.Alloc(100))
	must(page.Alloc(100 << 10))
	if n := page.Stats().Reserved; n != 164<<10 {
		t.Errorf("%d reserved", n)
	}
	check(t, "reset", page.Reset())
	if n := page.Stats().Reserved; n != 64<<10 {
		t.Errorf("%d reserved", n)
	}
	must(page.Alloc(100 << 10))

	sim.Fail("cuMemAllocFromPoolAsync", 1, 2) // no room for a chunk
	b := must(heap.Alloc(1000))
	if n := heap.Stats().Reserved; n >= 64<<10 {
		t.Errorf("%d reserved", n)
	}
	check(t, "free", heap.Free(b))

	s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
	c := must(stage.AllocOn(100<<10, s))
	c[0] = 1
	check(t, "free", stage.FreeOn(c, s))
	sim.RunAll()
	stage.Poll()
	c = must(stage.Alloc(100 << 10))
	if c[0] != 0 {
		t.Error("not clear")
	}
	check(t, "free", stage.Free(c))

	q := must(quiet.Alloc(100 << 10))
	if st := quiet.Stats(); st.Live != 1 || st.Allocs != 0 || st.PeakBytes != 0 {
		t.Errorf("%+v", st)
	}
	check(t, "free", quiet.Free(q))
	for _, p := range []interface{ Close() error }{page, heap, stage, quiet} {
		check(t, "close", p.Close())
	}
	check(t, "stream", s.Close())
}

// The limit holds whatever goroutines do, and each gets its block in the end.
func TestStraightTogether(t *testing.T) {
	machine(t)
	sim.Schedule(7)
	p := new(RingWaitPool)
	var done sync.WaitGroup
	for g := range 4 {
		done.Go(func() {
			s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
			for i := range 100 {
				n := 70<<10 + i
				if i%3 == 0 {
					n = 10 << 10
				}
				b, err := p.AllocOn(n, s)
				if err != nil {
					t.Error(err)
					continue
				}
				if i%2 == g%2 {
					err = errors.Join(cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s), p.FreeOn(b, s))
				} else {
					err = p.Free(b)
				}
				if err != nil {
					t.Error(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if st := p.Stats(); st.PeakReserved > 256<<10 || st.Live != 0 {
		t.Errorf("%+v", st)
	}
	check(t, "close", p.Close())
}
