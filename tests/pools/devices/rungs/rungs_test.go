//go:build cudasim

package rungs

import (
	"errors"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

func machine(t *testing.T) {
	t.Helper()
	rig.Machine(t, sim.Config{Devices: 3, Capacity: 1 << 30}) // streams do not advance
}

// A borrowed block is returned to its pool: at once, or when its stream has passed the free.
func TestBorrowedBlocksGoBack(t *testing.T) {
	machine(t)
	bigDefault = BigPool{}
	p, lender := new(SmallPool), &bigDefault
	own := rig.Must(p.Alloc(64 << 10))
	b := rig.Must(p.Alloc(1000))
	if n := lender.Stats().Live; n != 1 {
		t.Fatalf("%d borrowed", n)
	}
	rig.Check(t, "free", p.Free(b))
	rig.Refused(t, "free twice", p.Free(b), poolrt.ErrInvalidFree)

	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	b = rig.Must(p.AllocOn(1000, s))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	rig.Check(t, "free", p.FreeOn(b, s))
	rig.Refused(t, "free twice", p.FreeOn(b, s), poolrt.ErrDoubleFree)
	if n := p.Poll(); n != 0 || lender.Stats().Live != 1 || p.Stats().Pending != 1 {
		t.Errorf("%d frees were reclaimed while the stream uses their blocks: %+v", n, lender.Stats())
	}
	sim.RunAll()
	if n := p.Poll(); n != 1 || lender.Stats().Live != 0 || p.Stats().Pending != 0 {
		t.Errorf("%d frees reclaimed: %+v", n, lender.Stats())
	}
	b = rig.Must(p.AllocOn(1000, s))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	sim.Fail("cuEventRecord", 1, 1)
	rig.Check(t, "free", p.FreeOn(b, s)) // has no fence yet
	rig.Refused(t, "free twice", p.FreeOn(b, s), poolrt.ErrDoubleFree)
	sim.RunAll()
	if n := p.Poll(); n != 1 || lender.Stats().Live != 0 || p.Stats().Pending != 0 {
		t.Errorf("%d frees reclaimed: %+v", n, lender.Stats())
	}
	rig.Check(t, "free", p.Free(own))
	rig.Check(t, "close", p.Close()) // waits for the stream
	rig.Check(t, "close", lender.Close())
	rig.Check(t, "stream", s.Close())
}

// Items can be borrowed too, and the pool of each device lends to pools on the same device.
func TestItemsAreBorrowedAndDevicesLendToThemselves(t *testing.T) {
	machine(t)
	itemDefault, lenderDefault = ItemPool{}, LenderPool{}
	p, lender := new(OtherPool), &itemDefault
	var all []OtherPtr
	for range 300 {
		all = append(all, rig.Must(p.Alloc()))
	}
	if n := lender.Stats().Live; n != 300-256 {
		t.Errorf("%d borrowed", n)
	}
	rig.Check(t, "free", p.FreeBatch(all))
	rig.Check(t, "close", p.Close())
	rig.Check(t, "close", lender.Close())

	each := new(EachPool)
	for d := range 3 {
		q := each.On(d)
		own := rig.Must(q.Alloc(64 << 10))
		b := rig.Must(q.Alloc(500))
		if at := rig.Must(b.Addr().Device()); int(at) != d || lenderDefault.On(d).Stats().Live != 1 {
			t.Errorf("device %d lends to device %d: %+v", at, d, lenderDefault.On(d).Stats())
		}
		rig.Check(t, "free", each.Free(b))
		rig.Check(t, "free", each.Free(own))
	}
	rig.Check(t, "close", each.Close())
	rig.Check(t, "close", lenderDefault.Close())
}

// A pool on another device is not a lender.
func TestPoolOfAnotherDeviceDoesNotLend(t *testing.T) {
	machine(t)
	bigDefault = BigPool{}
	p := rig.Must(NewSmallPool(poolrt.OnDevice(1)))
	own := rig.Must(p.Alloc(64 << 10))
	rig.Refused(t, "alloc", rig.Second(p.Alloc(100)), poolrt.ErrLimit)
	rig.Check(t, "free", p.Free(own))
	rig.Check(t, "close", p.Close())
	rig.Check(t, "close", bigDefault.Close())
}

// A request that is too large for an arena comes directly from the driver, within the limit, and is returned to the driver.
func TestLargeBlocksAreDirect(t *testing.T) {
	machine(t)
	p := new(RingPool)
	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	before := sim.Calls("cuMemAlloc")
	b := rig.Must(p.Alloc(100 << 10))
	if st := p.Stats(); st.Live != 1 || st.LiveBytes != 100<<10 || st.Reserved != 100<<10 || st.Allocs != 1 || st.PeakBytes != 100<<10 || sim.Calls("cuMemAlloc") != before+1 {
		t.Errorf("%+v", st)
	}
	rig.Refused(t, "above the limit", rig.Second(p.Alloc(300<<10)), poolrt.ErrTooLarge)
	rig.Refused(t, "at the limit", rig.Second(p.Alloc(200<<10)), poolrt.ErrLimit)
	rig.Refused(t, "close", p.Close(), poolrt.ErrLive)
	rig.Check(t, "free", p.Free(b))
	rig.Refused(t, "free twice", p.Free(b), poolrt.ErrInvalidFree)
	if st := p.Stats(); st.Live != 0 || st.Reserved != 0 || st.Frees != 1 {
		t.Errorf("%+v", st)
	}
	b = rig.Must(p.AllocOn(200<<10, s))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	rig.Check(t, "free", p.FreeOn(b, s))
	rig.Refused(t, "the stream is at work with it", rig.Second(p.Alloc(200<<10)), poolrt.ErrLimit)
	if st := p.Stats(); st.Pending != 1 || st.Reserved != 200<<10 || st.Live != 0 {
		t.Errorf("%+v", st)
	}
	sim.RunAll()
	b = rig.Must(p.Alloc(200 << 10)) // the rung poll finds it
	rig.Check(t, "free", p.FreeAsync(b, s))
	rig.Refused(t, "free twice", p.Free(b), poolrt.ErrInvalidFree)
	rig.Check(t, "close", p.Close())
	rig.Check(t, "stream", s.Close())
}

// CloseForce waits for the stream of a direct block with a pending free.
func TestCloseForceWaitsForDirectBlocks(t *testing.T) {
	machine(t)
	p := new(RingPool)
	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	a, b := rig.Must(p.Alloc(100<<10)), rig.Must(p.Alloc(100<<10))
	rig.Check(t, "work", cuda.MemsetAsync(a.Addr(), 1, a.Bytes(), s))
	rig.Check(t, "free", p.FreeAsync(a, s))
	rig.Check(t, "close", p.CloseForce())
	rig.Refused(t, "free", p.Free(b), poolrt.ErrClosed)
	if st := p.Stats(); st.Reserved != 0 {
		t.Errorf("%+v", st)
	}
	rig.Check(t, "stream", s.Close())
}

// Pools of other kinds.
func TestDirectBlocksOfOtherPools(t *testing.T) {
	machine(t)
	page, heap, stage, quiet := new(PagePool), new(HeapPool), new(StagePool), new(QuietPool)
	rig.Must(page.Alloc(100))
	rig.Must(page.Alloc(100 << 10))
	if n := page.Stats().Reserved; n != 164<<10 {
		t.Errorf("%d reserved", n)
	}
	rig.Check(t, "reset", page.Reset())
	if n := page.Stats().Reserved; n != 64<<10 {
		t.Errorf("%d reserved", n)
	}
	rig.Must(page.Alloc(100 << 10))

	sim.Fail("cuMemAllocFromPoolAsync", 1, 2) // no room for a chunk, nor after the driver's pool has given back what it does not use
	sim.Fail("cuMemAllocFromPoolAsync", 2, 2)
	b := rig.Must(heap.Alloc(1000))
	if n := heap.Stats().Reserved; n >= 64<<10 {
		t.Errorf("%d reserved", n)
	}
	rig.Check(t, "free", heap.Free(b))

	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	c := rig.Must(stage.AllocOn(100<<10, s))
	c[0] = 1
	rig.Check(t, "free", stage.FreeOn(c, s))
	sim.RunAll()
	stage.Poll()
	c = rig.Must(stage.Alloc(100 << 10))
	if c[0] != 0 {
		t.Error("the block is not clear")
	}
	rig.Check(t, "free", stage.Free(c))

	q := rig.Must(quiet.Alloc(100 << 10))
	if st := quiet.Stats(); st.Live != 1 || st.Allocs != 0 || st.PeakBytes != 0 {
		t.Errorf("%+v", st)
	}
	rig.Check(t, "free", quiet.Free(q))
	for _, p := range []interface{ Close() error }{page, heap, stage, quiet} {
		rig.Check(t, "close", p.Close())
	}
	rig.Check(t, "stream", s.Close())
}

// The limit holds for any number of goroutines, and each gets a block at the end.
func TestDirectBlocksKeepToTheLimit(t *testing.T) {
	machine(t)
	sim.Schedule(7)
	p := new(RingWaitPool)
	var done sync.WaitGroup
	for g := range 4 {
		done.Go(func() {
			s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
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
	rig.Check(t, "close", p.Close())
}
