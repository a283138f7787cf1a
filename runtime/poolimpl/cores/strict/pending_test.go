package strict

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// piece is a pending block.
type piece struct {
	addr uint64
	slot uint32
}

// streamModel is a model of which blocks are live and which pending.
type streamModel struct {
	t       *testing.T
	c       *Core
	live    []piece
	pending []piece
	allocs  uint64
}

// out takes one of some pieces out.
func out(l *[]piece, x int) piece {
	p := (*l)[x%len(*l)]
	(*l)[x%len(*l)] = (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return p
}

const streamBase = 1 << 20

var streamEach uint64

func (m *streamModel) step(op, x int) {
	switch {
	case op < 3:
		if slot, off, ok := m.c.AllocAny(itemBytes, 1); ok {
			m.allocs++
			m.live = append(m.live, piece{streamBase + uint64(slot)*streamEach*blockSize + off, slot})
		} else if len(m.live)+len(m.pending) < int(2*streamEach) {
			m.t.Fatalf("Alloc fails with %d live and %d pending", len(m.live), len(m.pending))
		}
	case op < 5 && len(m.live) > 0:
		p := out(&m.live, x)
		if v := m.c.Defer(p.addr, itemBytes); v != poolimpl.Freed {
			m.t.Fatalf("Defer = %d", v)
		}
		m.pending = append(m.pending, p)
	case op == 5 && len(m.pending) > 0:
		p := out(&m.pending, x)
		if slot, off := m.c.Reuse(p.addr, itemBytes); slot != p.slot || off != (p.addr-streamBase)%(streamEach*blockSize) {
			m.t.Fatalf("Reuse(%#x) = %d, %d", p.addr, slot, off)
		}
		m.allocs++
		m.live = append(m.live, p)
	case op == 6 && len(m.pending) > 0:
		p := out(&m.pending, x)
		if slot, v := m.c.Reclaim(p.addr, itemBytes); slot != p.slot || v > poolimpl.Emptied {
			m.t.Fatalf("Retire(%#x) = %d, %d", p.addr, slot, v)
		}
	case op == 7 && len(m.pending) > 0:
		p := m.pending[x%len(m.pending)]
		_, free := m.c.Free(p.addr, itemBytes)
		_, undo := m.c.Undo(p.addr, itemBytes)
		run, _ := m.c.join(m.c.Gather(p.addr), p.addr)
		_, all := m.c.FreeRun(run)
		if again := m.c.Defer(p.addr, itemBytes); free != poolimpl.Double || undo != poolimpl.Double || all != poolimpl.Double || again != poolimpl.Double {
			m.t.Fatalf("of a pending block: Free %d, Undo %d, FreeRun %d, Defer %d", free, undo, all, again)
		}
	case op == 8 && len(m.live) > 0:
		p := out(&m.live, x)
		if _, v := m.c.Free(p.addr, itemBytes); v > poolimpl.Emptied {
			m.t.Fatalf("Free = %d", v)
		}
		if v := m.c.Defer(p.addr, itemBytes); v != poolimpl.Double {
			m.t.Fatalf("Defer of a free block = %d", v)
		}
	}
}

func (m *streamModel) check() {
	m.c.check(m.t)
	n := uint64(len(m.live))
	u := m.c.Usage()
	if u.Live != n || u.LiveBytes != n*itemBytes || u.Occupied != n*blockSize || feature.Counters && u.Allocs != m.allocs {
		m.t.Fatalf("%+v with %d live, %d pending, of %d", u, n, len(m.pending), m.allocs)
	}
	if used := m.c.Used(0) + m.c.Used(1); used != (n+uint64(len(m.pending)))*blockSize {
		m.t.Fatalf("%d bytes used by %d live and %d pending", used, n, len(m.pending))
	}
}

func TestRandomStreams(t *testing.T) {
	if !feature.Streams {
		t.Skip("words have no room for it")
	}
	m := &streamModel{t: t, c: newCore()}
	m.c.Add(0, streamBase, streamEach*blockSize)
	m.c.Add(1, streamBase+streamEach*blockSize, streamEach*blockSize)
	r := rand.New(rand.NewPCG(8, 8))
	for range 20000 {
		m.step(r.IntN(9), r.IntN(1000))
		m.check()
	}
	if len(m.pending) > 0 && (m.c.Evict(m.pending[0].slot) || m.c.Shut(false)) {
		t.Error("a chunk with a pending block is taken away")
	}
	if !m.c.Shut(true) || m.c.Usage().Live != uint64(len(m.live)) {
		t.Errorf("%+v with %d live", m.c.Usage(), len(m.live))
	}
}

// TestDeferOrFree: of a free and a deferral of one block at the same time, one succeeds.
func TestDeferOrFree(t *testing.T) {
	if !feature.Streams {
		t.Skip("words have no room for it")
	}
	c := newCore()
	c.Add(0, 0, 10*perWord*blockSize)
	for range 3000 {
		_, off := take(t, c)
		var done, pending atomic.Int32
		var wg sync.WaitGroup
		wg.Go(func() {
			if v := c.Defer(off, itemBytes); v == poolimpl.Freed {
				done.Add(1)
				pending.Add(1)
			}
		})
		wg.Go(func() {
			if _, v := c.Free(off, itemBytes); v <= poolimpl.Emptied {
				done.Add(1)
			}
		})
		wg.Wait()
		if done.Load() != 1 {
			t.Fatalf("%d succeeded", done.Load())
		}
		if pending.Load() == 1 {
			c.Reclaim(off, itemBytes)
		}
	}
	c.check(t)
}

// A pending block is shown as one, until it is live again or free.
func TestWalkPending(t *testing.T) {
	if !feature.Streams {
		t.Skip("no block is pending")
	}
	c := newCore()
	c.Add(0, 0, 3*perWord*blockSize)
	slot, off, _ := c.AllocAny(itemBytes, 1)
	c.Defer(off, itemBytes)
	coretest.Walk(t, c, slot, 3*perWord*blockSize, map[uint64]coretest.Block{off: {Asked: itemBytes, Pending: true}})
	c.Reuse(off, itemBytes)
	coretest.Walk(t, c, slot, 3*perWord*blockSize, map[uint64]coretest.Block{off: {Asked: itemBytes}})
	c.Defer(off, itemBytes)
	c.Reclaim(off, itemBytes)
	coretest.Walk(t, c, slot, 3*perWord*blockSize, nil)
}

// Blocks of chunks that touch are not of one word, even if as many blocks as a word has would fit between them.
func TestReclaimRunEndsWithTheChunk(t *testing.T) {
	if !feature.Streams {
		t.Skip("no block can be pending")
	}
	c := newCore()
	each := perWord / 2
	var addrs []uint64
	for slot := range uint32(2) {
		base := streamBase + uint64(slot)*each*blockSize
		c.Add(slot, base, each*blockSize)
		addrs = append(addrs, base)
	}
	for range 2 * each {
		if _, _, ok := c.AllocAny(itemBytes, 1); !ok {
			t.Fatal("Alloc fails")
		}
	}
	for _, addr := range addrs {
		if v := c.Defer(addr, itemBytes); v != poolimpl.Freed {
			t.Fatalf("Defer = %d", v)
		}
	}
	for want := range uint32(2) {
		if n, slot, _ := c.ReclaimRun(addrs, itemBytes); n != 1 || slot != want {
			t.Fatalf("ReclaimRun frees %d blocks of chunk %d, not one of chunk %d", n, slot, want)
		}
		addrs = addrs[1:]
	}
	c.check(t)
}
