//go:build cudasim

package pages

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// outOfMemory is a code of the driver.
const outOfMemory = 2

// If a call fails while several pages are being mapped, no page stays mapped or is lost, and the next attempt succeeds, even if mapped
// pages cannot be returned at once.
func TestPagesComeAllOrNone(t *testing.T) {
	back := []string{"", "cuMemUnmap", "cuMemRelease"}
	for _, c := range []struct {
		function string
		calls    int
	}{{"cuMemCreate", 4}, {"cuMemMap", 4}, {"cuMemSetAccess", 1}, {"cuMemsetD8Async", 1}} {
		for nth := 1; nth <= c.calls; nth++ {
			for _, also := range back {
				t.Run(fmt.Sprint(c.function, nth, also), func(t *testing.T) {
					machine(t)
					p := new(ClearPool)
					rig.Closing(t, p)
					a := rig.Must(p.Alloc(page))
					sim.Fail(c.function, nth, outOfMemory)
					if also != "" {
						sim.Fail(also, 0, outOfMemory)
					}
					rig.Refused(t, c.function, rig.Second(p.Alloc(4*page)), poolrt.ErrOutOfMemory)
					reserved(t, p, 1)
					if also != "" {
						sim.Fail(also, 0, 0)
					}
					b := rig.Must(p.Alloc(4 * page))
					mapped(t, b, true)
					rig.Check(t, "free", p.Free(b))
					rig.Check(t, "free", p.Free(a))
				})
			}
		}
	}
}

// A page that the driver fails to unmap stays in the pool.
func TestPagesThatDoNotGo(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	a, b := rig.Must(p.Alloc(2*page)), rig.Must(p.Alloc(page))
	rig.Check(t, "free", p.Free(a))
	sim.Fail("cuMemUnmap", 1, outOfMemory)
	rig.Refused(t, "trim", rig.Second(p.Trim(0)), poolrt.ErrNotReturned)
	reserved(t, p, 3)
	a = rig.Must(p.Alloc(2 * page))
	mapped(t, a, true)
	rig.Check(t, "free", p.Free(a))
	rig.Check(t, "free", p.Free(b))
	sim.Fail("cuMemUnmap", 1, outOfMemory)
	if err := p.Close(); err == nil {
		t.Error("Close did not return the failure")
	}
}

// Goroutines allocate, write, free and trim; the blocks of each keep their contents.
func TestPagesOfManyGoroutines(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	var all sync.WaitGroup
	for id := range byte(4) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 1))
			var held []PlainSpan
			for range 400 {
				switch k := r.IntN(10); {
				case k < 5:
					if b, err := p.Alloc(1 + r.IntN(3*page)); err == nil {
						rig.Check(t, "write", cuda.Memset(b.Addr(), id, b.Bytes()))
						held = append(held, b)
					}
				case k < 9 && len(held) > 0:
					owned(t, held[0], id)
					rig.Check(t, "free", p.Free(held[0]))
					held = held[1:]
				default:
					if _, err := p.Trim(int64(r.IntN(8)) * page); err != nil {
						t.Error(err)
					}
				}
			}
			for _, b := range held {
				owned(t, b, id)
				rig.Check(t, "free", p.Free(b))
			}
		})
	}
	all.Wait()
	if s := p.Stats(); s.Live != 0 || s.LargestFree > s.Reserved {
		t.Errorf("%+v", s)
	}
	rig.Must(p.Trim(0))
	reserved(t, p, 0)
}

// owned checks that the ends of a block hold what was written.
func owned(t *testing.T, b PlainSpan, id byte) {
	var back [1]byte
	for _, at := range []int64{0, b.Bytes() - 1} {
		if err := cuda.CopyToHost(back[:], b.Addr().Add(at)); err != nil || back[0] != id {
			t.Errorf("byte %d of %v: %d, want %d; %v", at, b.Addr(), back[0], id, err)
		}
	}
}

// Memory that is no longer mapped and could not be released is released before more is requested. Adjacent ranges are released by one call.
func TestReleaseIsTriedAgain(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc(3*page))))
	sim.Fail("cuMemRelease", 2, outOfMemory)
	unmaps, releases := sim.Calls("cuMemUnmap"), sim.Calls("cuMemRelease")
	rig.Must(p.Trim(0))
	b := rig.Must(p.Alloc(1))
	if n, k := sim.Calls("cuMemUnmap")-unmaps, sim.Calls("cuMemRelease")-releases; n != 1 || k != 4 {
		t.Errorf("%d calls to unmap, %d to release", n, k)
	}
	rig.Check(t, "free", p.Free(b))
}

// Memory that could not be unmapped may later be part of two chunks of other sizes. It is released when neither uses it any more.
func TestUnreturnedUnderTwoChunks(t *testing.T) {
	machine(t)
	at := rig.Must(cuda.Allocator{Name: "device_virtual", Kinds: []cuda.Kind{cuda.VirtualMemory{}}}.Bind(poolimpl.Binding{Device: poolimpl.NoDevice, Limit: 8 * page, Chunk: 2 * page}))
	sim.Fail("cuMemMap", 2, outOfMemory)
	sim.Fail("cuMemUnmap", 1, outOfMemory)
	if c, err := at.Source.Alloc(4*page, page); err == nil {
		t.Fatalf("%+v in spite of failures", c)
	}
	a, b := rig.Must(at.Source.Alloc(page, page)), rig.Must(at.Source.Alloc(page, page))
	rig.Check(t, "free", at.Source.Free(a))
	rig.Check(t, "write", cuda.Memset(cuda.DevicePtr(b.Addr), 1, page))
	rig.Check(t, "free", at.Source.Free(b))
	rig.Check(t, "close", at.Close())
}
