//go:build cudasim

package pages

import (
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// inFlight has a stream allocate some pages and free every second one with work queued on it. It returns the other blocks.
func inFlight[S span](t *testing.T, p flow[S], pages int, s cuda.Stream) (left []S) {
	t.Helper()
	var all []S
	for range pages {
		all = append(all, rig.Must(p.AllocOn(page, s)))
	}
	for i, b := range all {
		if i%2 == 1 {
			left = append(left, b)
			continue
		}
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
		rig.Check(t, "free", p.FreeOn(b, s))
	}
	return left
}

// held checks how much memory of the device is taken.
func held(t *testing.T, pages int64) {
	t.Helper()
	free, total, err := cuda.Device(0).MemInfo()
	rig.Check(t, "mem info", err)
	if n := total - free; n != pages*page {
		t.Errorf("%d bytes of the device are taken, want %d pages", n, pages)
	}
}

// use writes to a block, and reads it when its stream has done so.
func use[S span](t *testing.T, b S, value byte, s cuda.Stream) {
	t.Helper()
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), value, b.Bytes(), s))
	rig.Check(t, "wait", s.Synchronize())
	for _, at := range []int64{0, b.Bytes() / 2, b.Bytes() - 1} {
		var back [1]byte
		if err := cuda.CopyToHost(back[:], b.Addr().Add(at)); err != nil || back[0] != value {
			t.Errorf("byte %d: %d, want %d; %v", at, back[0], value, err)
		}
	}
}

// moves has pages that one stream may be using move together for a block of another stream.
func moves[S span](t *testing.T, p flow[S]) {
	on := stalledStreams(t, 2)
	left := inFlight(t, p, 8, on[0])
	created := sim.Calls("cuMemCreate")
	b := rig.Must(p.AllocOn(4*page, on[1]))
	if n := sim.Calls("cuMemCreate") - created; n != 0 {
		t.Errorf("%d pages were made", n)
	}
	reserved(t, p, 8)
	held(t, 8)
	if s := p.Stats(); s.StreamWaits != 1 || s.Pending == 0 {
		t.Errorf("%+v", s)
	}
	use(t, b, 2, on[1])
	rig.Check(t, "free", p.FreeOn(b, on[1]))
	for _, x := range left {
		rig.Check(t, "free", p.Free(x))
	}
	rig.Check(t, "wait", on[1].Synchronize())
	p.Poll()
	rig.Must(p.Trim(0))
	reserved(t, p, 0)
	held(t, 0)
	rig.Check(t, "close", p.Close())
}

func TestPagesInFlightMove(t *testing.T) {
	t.Run("heap", func(t *testing.T) { moves(t, new(MovingPool)) })
	t.Run("binned", func(t *testing.T) { moves(t, new(MovingBinsPool)) })
	t.Run("classes", func(t *testing.T) { moves(t, new(MovingSizesPool)) })
	t.Run("sharded", func(t *testing.T) { moves(t, new(ManyMovingPool)) })
	t.Run("sharded classes", func(t *testing.T) { moves(t, new(ManySizesPool)) })
}

// At the limit pages move whatever across_streams says.
func TestPagesInFlightMoveAtTheLimit(t *testing.T) {
	on := stalledStreams(t, 2)
	p := new(QuickFlowPool) // across_streams: limit
	left := inFlight(t, p, 16, on[0])
	b := rig.Must(p.AllocOn(8*page, on[1]))
	reserved(t, p, 16)
	held(t, 16)
	rig.Refused(t, "more than there is", rig.Second(p.AllocOn(page, on[1])), poolrt.ErrLimit)
	use(t, b, 2, on[1])
	rig.Check(t, "free", p.Free(b))
	for _, x := range left {
		rig.Check(t, "free", p.Free(x))
	}
	rig.Check(t, "close", p.Close())
}

// A page may move again while a stream uses it at an earlier place; a place that streams have passed gets other memory.
func TestPagesMoveAgain(t *testing.T) {
	on := stalledStreams(t, 3)
	p := new(MovingPool)
	left := inFlight(t, p, 8, on[0])
	for round := range 4 {
		var parts []MovingSpan
		s := on[1+round%2]
		for range 3 { // with a page that stays between two that do not
			b, between := rig.Must(p.AllocOn(2*page, s)), rig.Must(p.AllocOn(page, s))
			rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 3, b.Bytes(), s))
			parts, left = append(parts, b), append(left, between)
		}
		for _, b := range parts {
			rig.Check(t, "free", p.FreeOn(b, s))
		}
		b := rig.Must(p.AllocOn(6*page, on[2-round%2]))
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 4, b.Bytes(), on[2-round%2]))
		rig.Check(t, "free", p.FreeOn(b, on[2-round%2]))
		for range 3 {
			rig.Check(t, "free", p.FreeOn(left[len(left)-1], s))
			left = left[:len(left)-1]
		}
	}
	reserved(t, p, p.Stats().PeakReserved/page)
	held(t, p.Stats().Reserved/page)
	for _, s := range on {
		rig.Check(t, "wait", s.Synchronize())
	}
	p.Poll()
	rig.Must(p.Trim(0))
	reserved(t, p, int64(len(left)))
	held(t, int64(len(left)))
	all := rig.Must(p.AllocOn((16-len(left))*page, on[0])) // at addresses that were barred
	use(t, all, 5, on[0])
	for _, x := range append(left, all) {
		rig.Check(t, "free", p.Free(x))
	}
	rig.Check(t, "close", p.Close())
}

// If the driver fails while pages move, they stay where they were, and the pool grows. What it fails to unmap is unmapped later.
func TestPagesThatDoNotMove(t *testing.T) {
	for _, c := range []struct {
		function string
		calls    int
	}{{"cuMemMap", 4}, {"cuMemSetAccess", 1}} {
		for nth := 1; nth <= c.calls; nth++ {
			for _, also := range []string{"", "cuMemUnmap"} {
				if also != "" && c.function == "cuMemMap" && nth == 1 {
					continue // nothing is mapped that would have to be unmapped
				}
				t.Run(fmt.Sprint(c.function, nth, also), func(t *testing.T) {
					on := stalledStreams(t, 2)
					p := new(MovingPool)
					left := inFlight(t, p, 8, on[0])
					sim.Fail(c.function, nth, outOfMemory)
					if also != "" {
						sim.Fail(also, 1, outOfMemory)
					}
					b := rig.Must(p.AllocOn(4*page, on[1]))
					reserved(t, p, 12)
					held(t, 12)
					use(t, b, 2, on[1])
					again := rig.Must(p.AllocOn(4*page, on[1])) // they move now
					reserved(t, p, 12)
					held(t, 12)
					use(t, again, 3, on[1])
					for _, x := range append(left, b, again) {
						rig.Check(t, "free", p.Free(x))
					}
					rig.Check(t, "wait", on[0].Synchronize())
					p.Poll()
					rig.Must(p.Trim(0))
					held(t, 0)
					rig.Check(t, "close", p.Close())
				})
			}
		}
	}
}

// Memory whose earlier mapping the driver fails to end stays in the pool, at its new place, until a later call ends both.
func TestEarlierMappingsGoLater(t *testing.T) {
	on := stalledStreams(t, 2)
	p := new(MovingPool)
	left := inFlight(t, p, 8, on[0])
	b := rig.Must(p.AllocOn(4*page, on[1]))
	use(t, b, 2, on[1])
	rig.Check(t, "wait", on[0].Synchronize())
	rig.Check(t, "free", p.Free(b))
	sim.Fail("cuMemUnmap", 2, outOfMemory)
	rig.Refused(t, "trim", rig.Second(p.Trim(0)), poolrt.ErrNotReturned)
	reserved(t, p, 8)
	held(t, 8)
	b = rig.Must(p.AllocOn(4*page, on[1]))
	use(t, b, 3, on[1])
	rig.Check(t, "free", p.Free(b))
	rig.Must(p.Trim(0))
	reserved(t, p, 4)
	held(t, 4)
	for _, x := range left {
		rig.Check(t, "free", p.Free(x))
	}
	rig.Check(t, "close", p.Close())
	held(t, 0)
}

// A pool whose pages have moved can be closed at any time.
func TestCloseWhilePagesMove(t *testing.T) {
	for name, synchronize := range map[string]bool{"busy": false, "idle": true} {
		t.Run(name, func(t *testing.T) { closed(t, new(MovingPool), synchronize) })
		t.Run(name+", sharded", func(t *testing.T) { closed(t, new(ManyMovingPool), synchronize) })
	}
}

// closed closes a pool whose pages have moved.
func closed[S span](t *testing.T, p flow[S], synchronize bool) {
	on := stalledStreams(t, 2)
	inFlight(t, p, 8, on[0])
	b := rig.Must(p.AllocOn(4*page, on[1]))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 2, b.Bytes(), on[1]))
	if synchronize {
		rig.Check(t, "wait", on[1].Synchronize())
	}
	rig.Check(t, "free", p.FreeOn(b, on[1]))
	rig.Check(t, "close", p.CloseForce())
	held(t, 0)
}
