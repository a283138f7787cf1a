//go:build cudasim

package guarantee

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// phase is a number of steps in which a pool mostly grows or mostly shrinks.
const phase = 300

// next does something with one of the pools.
func (m *model) next() {
	sim.Tick()
	m.look()
	if m.step%phase == 0 {
		m.share = 300 + m.IntN(550)
	}
	p := m.pools[m.IntN(len(m.pools))]
	switch k := m.IntN(1000); {
	case k < m.share:
		m.alloc(p)
	case k < 990:
		m.free(p)
	case k < 993:
		m.setLimit(p)
	case k < 995:
		rig.Check(m, "trim", rig.Second(p.Trim(m.Int64N(p.limit+1))))
	case k < 999:
		p.Poll()
		m.mark(p)
	default:
		m.freeMost(p)
	}
}

// alloc makes a request, on a stream if the pool has such requests.
func (m *model) alloc(p *member) {
	m.requests++
	unit := max(p.unit, 1)
	n, align := (m.bytes(p)+unit-1)/unit, 1
	check := m.calls(p)
	var b any
	var err error
	switch {
	case p.has("AllocOn") && m.IntN(2) == 0:
		b, err = p.take("AllocOn", n, m.streams[m.IntN(len(m.streams))])
	case p.has("AllocAligned") && m.IntN(4) == 0:
		align = 1 << m.IntN(p.row.aligned)
		b, err = p.take("AllocAligned", n, align)
	default:
		b, err = p.take("Alloc", n)
	}
	check()
	if err != nil {
		m.refused(p, int64(n*unit), int64(align), err)
		return
	}
	x, before := extentOf(b), p.lost
	p.lost = p.Stats().RoundingBytes
	x.bytes += p.lost - before // a part of a page that is lost to a block is in use
	p.live = append(p.live, block{x, b})
}

// calls checks, after a request of a pool with pages, how often it called the driver: at most twice for each page that came or went, and 8 times besides. A request
// that finds frees pending also asks about those.
func (m *model) calls(p *member) func() {
	if !p.row.pages || m.anyInFlight() {
		return func() {}
	}
	count := func() [3]int { return [3]int{sim.Calls("cuMemCreate"), sim.Calls("cuMemRelease"), sim.Calls("")} }
	before := count()
	return func() {
		after := count()
		pages, calls := after[0]+after[1]-before[0]-before[1], after[2]-before[2]
		if calls > 2*pages+8 {
			m.fail("%d calls of the driver for %d pages that came or went", calls, pages)
		}
	}
}

// bytes draws the size of a request: most are small.
func (m *model) bytes(p *member) int {
	switch m.IntN(4) {
	case 0:
		return 1 + m.IntN(p.largest)
	case 1:
		return 1 + m.IntN(p.largest/4)
	}
	return 1 + m.IntN(p.largest/64)
}

// extentOf returns where a block lies.
func extentOf(b any) extent {
	switch b := b.(type) {
	case []byte:
		return extent{int64(cuda.AddressOf(b)), int64(len(b))}
	case interface {
		Handle() uint64
		Offset() int64
		Bytes() int64
	}:
		return extent{placeOf(b.Handle()) + b.Offset(), b.Bytes()}
	case interface {
		Addr() cuda.DevicePtr
		Bytes() int64
	}:
		return extent{int64(b.Addr()), b.Bytes()}
	case interface{ Addr() cuda.DevicePtr }:
		return extent{int64(b.Addr()), 256}
	}
	panic(fmt.Sprintf("a %T has no address", b))
}

// placeOf stands for the address of physical memory, which has none.
func placeOf(handle uint64) int64 { return int64(handle << 24) }

// free frees a block, at once or on a stream that may be at work. Where single blocks are not freed, now and then all of them are.
func (m *model) free(p *member) {
	if len(p.live) == 0 {
		return
	}
	if !p.has("Free") {
		if m.IntN(50) == 0 {
			rig.Check(m, "reset", p.give("Reset"))
			p.live = nil
		}
		return
	}
	i := m.IntN(len(p.live))
	b := p.live[i]
	p.live = slices.Delete(p.live, i, i+1)
	if !p.has("FreeOn") || m.IntN(3) == 0 {
		rig.Check(m, "free", p.give("Free", b.own))
		return
	}
	on := m.IntN(len(m.streams))
	if m.IntN(2) == 0 {
		rig.Check(m, "work", sim.Work(m.streams[on]))
	}
	rig.Check(m, "free on a stream", p.give("FreeOn", b.own, m.streams[on]))
	p.flight = append(p.flight, freed{extent: b.extent, stream: on})
}

// freeMost frees nearly all blocks.
func (m *model) freeMost(p *member) {
	for len(p.live) > 3 {
		m.free(p)
	}
}

// setLimit changes the limit. What is in use is the only reason to refuse.
func (m *model) setLimit(p *member) {
	to := m.Int64N(p.most + 1)
	if m.IntN(2) == 0 {
		to = p.limit/2 + m.Int64N(p.most-p.limit/2+1)
	}
	memory.limit = max(to, p.limit)
	err := p.SetLimit(to)
	memory.limit = p.limit
	switch {
	case err == nil:
		p.limit, memory.limit = to, to
	case !errors.Is(err, poolrt.ErrLive):
		m.fail("set limit: %v", err)
	default:
		if used := m.inUse(p); used <= to {
			m.fail("the limit %d is refused, but only %d are in use: %v", to, used, err)
		}
	}
}
