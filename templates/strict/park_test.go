package strict

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/templates/feature"
)

var _ runtime.ParkingCore = (*Core)(nil)

// piece is a parked block.
type piece struct {
	addr uint64
	slot uint32
}

// parking is a model of which blocks are live and which parked.
type parking struct {
	t      *testing.T
	c      Core
	live   []piece
	parked []piece
	allocs uint64
}

// out takes one of some pieces out.
func out(l *[]piece, x int) piece {
	p := (*l)[x%len(*l)]
	(*l)[x%len(*l)] = (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return p
}

const parkBase, parkEach = 1 << 20, 2*perWord + 3

func (m *parking) step(op, x int) {
	switch {
	case op < 3:
		if slot, off, ok := m.c.Search(itemBytes, 1); ok {
			m.allocs++
			m.live = append(m.live, piece{parkBase + uint64(slot)*parkEach*blockSize + off, slot})
		} else if len(m.live)+len(m.parked) < 2*parkEach {
			m.t.Fatalf("Alloc fails with %d live and %d parked", len(m.live), len(m.parked))
		}
	case op < 5 && len(m.live) > 0:
		p := out(&m.live, x)
		if v := m.c.Park(p.addr, itemBytes); v != runtime.Freed {
			m.t.Fatalf("Park = %d", v)
		}
		m.parked = append(m.parked, p)
	case op == 5 && len(m.parked) > 0:
		p := out(&m.parked, x)
		if slot, off := m.c.Unpark(p.addr, itemBytes); slot != p.slot || off != (p.addr-parkBase)%(parkEach*blockSize) {
			m.t.Fatalf("Unpark(%#x) = %d, %d", p.addr, slot, off)
		}
		m.allocs++
		m.live = append(m.live, p)
	case op == 6 && len(m.parked) > 0:
		p := out(&m.parked, x)
		if slot, v := m.c.Retire(p.addr, itemBytes); slot != p.slot || v > runtime.Emptied {
			m.t.Fatalf("Retire(%#x) = %d, %d", p.addr, slot, v)
		}
	case op == 7 && len(m.parked) > 0:
		p := m.parked[x%len(m.parked)]
		_, free := m.c.Free(p.addr)
		_, undo := m.c.Undo(p.addr, itemBytes)
		run, _ := m.c.Gather(p.addr).Join(p.addr)
		_, all := m.c.FreeRun(run)
		if again := m.c.Park(p.addr, itemBytes); free != runtime.Double || undo != runtime.Double || all != runtime.Double || again != runtime.Double {
			m.t.Fatalf("of a parked block: Free %d, Undo %d, FreeRun %d, Park %d", free, undo, all, again)
		}
	case op == 8 && len(m.live) > 0:
		p := out(&m.live, x)
		if _, v := m.c.Free(p.addr); v > runtime.Emptied {
			m.t.Fatalf("Free = %d", v)
		}
		if v := m.c.Park(p.addr, itemBytes); v != runtime.Double {
			m.t.Fatalf("Park of a free block = %d", v)
		}
	}
}

func (m *parking) check() {
	m.c.check(m.t)
	n := uint64(len(m.live))
	u := m.c.Usage()
	if u.Live != n || u.LiveBytes != n*itemBytes || u.Occupied != n*blockSize || feature.Counters && u.Allocs != m.allocs {
		m.t.Fatalf("%+v with %d live, %d parked, of %d", u, n, len(m.parked), m.allocs)
	}
	if used := m.c.Used(0) + m.c.Used(1); used != (n+uint64(len(m.parked)))*blockSize {
		m.t.Fatalf("%d bytes used by %d live and %d parked", used, n, len(m.parked))
	}
}

func TestRandomParking(t *testing.T) {
	if !feature.Streams {
		t.Skip("words have no room for it")
	}
	m := &parking{t: t}
	m.c.Add(0, parkBase, parkEach*blockSize)
	m.c.Add(1, parkBase+parkEach*blockSize, parkEach*blockSize)
	r := rand.New(rand.NewPCG(8, 8))
	for range 20000 {
		m.step(r.IntN(9), r.IntN(1000))
		m.check()
	}
	if len(m.parked) > 0 && (m.c.Evict(m.parked[0].slot) || m.c.End(false)) {
		t.Error("a chunk with a parked block is taken away")
	}
	if !m.c.End(true) || m.c.Usage().Live != uint64(len(m.live)) {
		t.Errorf("%+v with %d live", m.c.Usage(), len(m.live))
	}
}

// TestParkOrFree: of a free and a parking of one block at the same time, one succeeds.
func TestParkOrFree(t *testing.T) {
	if !feature.Streams {
		t.Skip("words have no room for it")
	}
	var c Core
	c.Add(0, 0, 10*perWord*blockSize)
	for range 3000 {
		_, off := take(t, &c)
		var done, parked atomic.Int32
		var wg sync.WaitGroup
		wg.Go(func() {
			if v := c.Park(off, itemBytes); v == runtime.Freed {
				done.Add(1)
				parked.Add(1)
			}
		})
		wg.Go(func() {
			if _, v := c.Free(off); v <= runtime.Emptied {
				done.Add(1)
			}
		})
		wg.Wait()
		if done.Load() != 1 {
			t.Fatalf("%d succeeded", done.Load())
		}
		if parked.Load() == 1 {
			c.Retire(off, itemBytes)
		}
	}
	c.check(t)
}

// A parked block is shown as one, until it is live again or free.
func TestWalkParked(t *testing.T) {
	if !feature.Streams {
		t.Skip("no block is parked")
	}
	var c Core
	c.Add(0, 0, 3*perWord*blockSize)
	slot, off, _ := c.Search(itemBytes, 1)
	c.Park(off, itemBytes)
	coretest.Walk(t, &c, slot, 3*perWord*blockSize, map[uint64]coretest.Block{off: {Asked: itemBytes, Parked: true}})
	c.Unpark(off, itemBytes)
	coretest.Walk(t, &c, slot, 3*perWord*blockSize, map[uint64]coretest.Block{off: {Asked: itemBytes}})
	c.Park(off, itemBytes)
	c.Retire(off, itemBytes)
	coretest.Walk(t, &c, slot, 3*perWord*blockSize, nil)
}
