package fixed

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, uint64){(*model).deferFree, (*model).deferFree, (*model).reuse, (*model).reclaim, (*model).reclaim, (*model).misusePending}

// leave takes the i-th address out of the live ones.
func (m *model) leave(i int) piece {
	p := piece{addr: m.order[i], slot: m.live[m.order[i]]}
	last := len(m.order) - 1
	m.order[i] = m.order[last]
	m.order = m.order[:last]
	delete(m.live, p.addr)
	return p
}

// pop takes one of the pending blocks out.
func (m *model) pop(x uint64) piece {
	i, last := int(x%uint64(len(m.pending))), len(m.pending)-1
	p := m.pending[i]
	m.pending[i] = m.pending[last]
	m.pending = m.pending[:last]
	return p
}

func (m *model) deferFree(x uint64) {
	if len(m.order) == 0 {
		return
	}
	p := m.leave(int(x % uint64(len(m.order))))
	m.pending = append(m.pending, p)
	if v := m.c.Defer(p.addr, m.p.ItemBytes); v != poolimpl.Freed {
		m.t.Fatalf("Defer = %d", v)
	}
}

func (m *model) reuse(x uint64) {
	if len(m.pending) == 0 {
		return
	}
	p := m.pop(x)
	slot, off := m.c.Reuse(p.addr, m.p.ItemBytes)
	if slot != p.slot || m.chunks[slot].base+off != p.addr {
		m.t.Fatalf("Reuse(%#x) = %d, %d", p.addr, slot, off)
	}
	m.enter(slot, off)
	m.allocs++
}

func (m *model) reclaim(x uint64) {
	if len(m.pending) == 0 {
		return
	}
	p := m.pop(x)
	want := poolimpl.Freed
	if m.p.Trims && m.used(p.slot) == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := m.c.Reclaim(p.addr, m.p.ItemBytes); slot != p.slot || v != want {
		m.t.Fatalf("Reclaim(%#x) = %d, %d; want %d, %d", p.addr, slot, v, p.slot, want)
	}
}

// misusePending gives back what is pending, and defers what is not live.
func (m *model) misusePending(x uint64) {
	if len(m.pending) > 0 {
		p := m.pending[x%uint64(len(m.pending))]
		if m.c.FreeFast(p.addr) {
			m.t.Fatalf("FreeFast of pending %#x", p.addr)
		}
		if _, v := m.c.Free(p.addr, m.p.ItemBytes); v != poolimpl.Double {
			m.t.Fatalf("Free of pending %#x = %d", p.addr, v)
		}
		if _, v := m.c.Undo(p.addr, m.p.ItemBytes); v != poolimpl.Double {
			m.t.Fatalf("Undo of pending %#x = %d", p.addr, v)
		}
	}
	addr, want, dead := m.dead(x)
	if !dead {
		return
	}
	if v := m.c.Defer(addr, m.p.ItemBytes); v != want {
		m.t.Fatalf("Defer of a dead block = %d; want %d", v, want)
	}
}

// FuzzStreams is FuzzOps for pools that are ordered with streams.
func FuzzStreams(f *testing.F) {
	f.Add([]byte{6, 0, 0, 0, 0, 0, 16, 0, 3, 0, 20, 0})
	f.Add(script(11)[:400])
	f.Fuzz(func(t *testing.T, ops []byte) {
		where(t, streams, func(t *testing.T, p Params) { run(t, p, ops, steps...) })
	})
}

func TestRandomStreams(t *testing.T) {
	where(t, streams, func(t *testing.T, p Params) {
		for seed := range uint64(4) {
			run(t, p, script(seed), steps...)
		}
	})
}

// TestReuseTellsOfTheLast: blocks that were used again leave the last live block of a chunk to Free, which says that the chunk is empty.
func TestReuseTellsOfTheLast(t *testing.T) {
	where(t, func(p Params) bool { return p.Streams && p.Trims }, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<20, 64*p.BlockSize)
		for range 3 {
			take(t, c)
		}
		c.Free(1<<20, p.ItemBytes) // which sets the end of the fast path anew
		for range 9 {
			c.Defer(1<<20+p.BlockSize, p.ItemBytes)
			c.Reuse(1<<20+p.BlockSize, p.ItemBytes)
		}
		c.free(1<<20+p.BlockSize, p.ItemBytes)
		if _, v := c.free(1<<20+2*p.BlockSize, p.ItemBytes); v != poolimpl.Emptied {
			t.Errorf("the last free = %d", v)
		}
	})
}

// TestPeakOfPending: blocks that were carved while others were pending can be live together with those later.
func TestPeakOfPending(t *testing.T) {
	where(t, paced, func(t *testing.T, p Params) {
		c := newCore(p)
		c.Add(0, 1<<20, 64*p.BlockSize)
		at := func(i uint64) uint64 { return 1<<20 + i*p.BlockSize }
		peak := func(want uint64) {
			t.Helper()
			c.check(t, 0)
			if got := c.Usage().PeakBytes; got != want*p.ItemBytes {
				t.Fatalf("peak %d, want %d", got/p.ItemBytes, want)
			}
		}
		for range 4 {
			take(t, c)
		}
		for i := range uint64(3) {
			c.Defer(at(i), p.ItemBytes)
		}
		for range 3 {
			take(t, c)
		}
		for i := range uint64(3) {
			c.Reclaim(at(i), p.ItemBytes)
		}
		peak(4)
		for want := uint64(5); want < 8; want++ {
			take(t, c)
			peak(want)
		}
		if _, off := take(t, c); off != 7*p.BlockSize {
			t.Errorf("block at %d was not fresh", off)
		}
		peak(8)
	})
}

func BenchmarkDefer(b *testing.B) {
	p := Params{BlockSize: 64, ItemBytes: 64, Counters: true, Trims: true, Streams: true}
	c := newCore(p)
	c.Add(0, 1<<20, 64*p.BlockSize)
	for range 8 {
		c.Alloc(p.ItemBytes, 1)
	}
	r := rand.New(rand.NewPCG(1, 1))
	addr := 1<<20 + r.Uint64N(8)*p.BlockSize
	b.Run("reuse", func(b *testing.B) {
		for range b.N {
			c.Defer(addr, p.ItemBytes)
			c.Reuse(addr, p.ItemBytes)
		}
	})
	b.Run("reclaim", func(b *testing.B) {
		for range b.N {
			c.Defer(addr, p.ItemBytes)
			c.Reclaim(addr, p.ItemBytes)
			_, off, _ := c.Alloc(p.ItemBytes, 1)
			addr = 1<<20 + off
		}
	})
}
