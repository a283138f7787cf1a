//go:build cudasim

package guarantee

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

const page = 2 * mib

// busy makes a machine with a stream whose work takes some ticks.
func busy(t *testing.T, ticks int) cuda.Stream {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 256 * mib})
	sim.Latency(ticks)
	return rig.Stream(t, 0)
}

// What a stream freed is free when the stream has passed it, whatever the stream has freed since.
func TestFreesOfAStreamPassOneByOne(t *testing.T) {
	s := busy(t, 10)
	p := rig.Must(NewFlowHeapPool(poolrt.WithLimit(3 * page)))
	rig.Closing(t, p)
	a, b, c := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page))
	for _, x := range []FlowHeapSpan{a, b} {
		rig.Check(t, "work", sim.Work(s))
		rig.Check(t, "free", p.FreeOn(x, s))
		p.Poll()
		for range 4 {
			sim.Tick()
		}
	}
	rig.Refused(t, "too much", rig.Second(p.AllocOn(3*page, s)), poolrt.ErrLimit) // the suballocator has both blocks again
	sim.Tick()
	sim.Tick()
	d, err := p.Alloc(page)
	rig.Check(t, "where the first one was", err)
	rig.Check(t, "free", p.Free(c))
	rig.Check(t, "free", p.Free(d))
}

// A block that a request cannot use as a stream is at work in a part of it does not keep the rest from the request, though the suballocator caches that block.
func TestCachedPagesAreFree(t *testing.T) {
	s := busy(t, 10)
	p := rig.Must(NewFlowClassedPool(poolrt.WithLimit(4 * page)))
	rig.Closing(t, p)
	a, b, c, d := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page))
	rig.Check(t, "work", sim.Work(s))
	rig.Check(t, "free", p.FreeOn(a, s))
	rig.Refused(t, "too much", rig.Second(p.AllocOn(3*page, s)), poolrt.ErrLimit) // the suballocator has the first block again
	rig.Check(t, "free", p.Free(b))
	rig.Check(t, "free", p.Free(d))
	e, err := p.Alloc(2 * page)
	rig.Check(t, "two pages of four, of which a block and a stream use one each", err)
	rig.Check(t, "free", p.Free(c))
	rig.Check(t, "free", p.Free(e))
}
