package slabs

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// ordered is a model of a core whose blocks can be pending.
type ordered struct {
	*pool
	t       *testing.T
	r       *rand.Rand
	live    map[uint64]uint64 // by address: the bytes asked for
	pending map[uint64]uint64 // by address: the bytes that the block can serve
	asked   map[uint64]uint64 // of those that are pending
	allocs  uint64
}

// any returns some key of a map, which is not empty.
func (m *ordered) any(of map[uint64]uint64) (addr, bytes uint64) {
	for addr, bytes = range of {
		break
	}
	return addr, bytes
}

func (m *ordered) alloc() {
	n := 1 + m.r.Uint64N(1<<(4+m.r.IntN(12)))
	if a, ok := m.force(n); ok {
		m.live[a] = n
		m.allocs++
	}
}

// refused tries all frees of a block that must not be freed.
func (m *ordered) refused(addr, bytes uint64) {
	m.t.Helper()
	_, freed := m.Free(addr, bytes)
	_, undone := m.Undo(addr, bytes)
	if v := m.Defer(addr, bytes); v != poolimpl.Double || freed != poolimpl.Double || undone != poolimpl.Double {
		m.t.Fatalf("%#x is pending: free %d, undo %d, defer %d", addr, freed, undone, v)
	}
}

func (m *ordered) deferOne() {
	addr, bytes := m.any(m.live)
	for _, wrong := range []uint64{bytes - 1, bytes + 1, 0, 1 << 40} {
		if v := m.Defer(addr, wrong); v <= poolimpl.Emptied {
			m.t.Fatalf("%#x deferred with %d instead of %d", addr, wrong, bytes)
		}
	}
	if v := m.Defer(addr+1, bytes); v <= poolimpl.Emptied {
		m.t.Fatalf("defer within %#x: %d", addr, v)
	}
	usable, v := m.DeferRounded(addr, bytes)
	if v != poolimpl.Freed || usable != bytes && usable != m.Rounded(bytes) {
		m.t.Fatalf("defer of %#x, %d: %d, for %d", addr, bytes, v, usable)
	}
	m.pending[addr], m.asked[addr] = usable, bytes
	delete(m.live, addr)
	m.refused(addr, bytes)
}

func (m *ordered) reuse() {
	addr, usable := m.any(m.pending)
	bytes := m.asked[addr]
	if usable == m.Rounded(bytes) && m.r.IntN(2) == 0 {
		for bytes = usable; bytes > 1 && m.Rounded(bytes-1) == usable && m.r.IntN(8) > 0; bytes-- {
		}
	}
	if slot, off := m.Reuse(addr, bytes); m.bases[slot]+off != addr {
		m.t.Fatalf("reuse of %#x: %d in chunk %d", addr, off, slot)
	}
	delete(m.pending, addr)
	m.live[addr] = bytes
	m.allocs++
}

func (m *ordered) reclaim() {
	addr, usable := m.any(m.pending)
	if slot, v := m.Reclaim(addr, usable); slot != 0 || v > poolimpl.Emptied {
		m.t.Fatalf("reclaim of %#x: chunk %d, %d", addr, slot, v)
	}
	delete(m.pending, addr)
}

func (m *ordered) freeOne() {
	addr, bytes := m.any(m.live)
	m.free(m.t, addr, bytes)
	delete(m.live, addr)
}

// check compares the counts and the pieces with the model.
func (m *ordered) check() {
	m.t.Helper()
	sum := uint64(0)
	blocks := map[uint64]coretest.Block{}
	for addr, bytes := range m.live {
		sum += bytes
		blocks[addr-base] = coretest.Block{Asked: bytes}
	}
	for addr := range m.pending {
		blocks[addr-base] = coretest.Block{Asked: m.asked[addr], Pending: true}
	}
	u := m.Usage()
	if u.Live != uint64(len(m.live)) || u.LiveBytes != sum || feature.Counters && u.Allocs != m.allocs {
		m.t.Fatalf("%+v; want %d live blocks of %d bytes, %d allocs", u, len(m.live), sum, m.allocs)
	}
	if want := m.counted(); u != want {
		m.t.Fatalf("%+v, want %+v", u, want)
	}
	coretest.Walk(m.t, &m.Core, 0, smallChunk, blocks)
}

// dissolveAll dissolves all slabs with a block that is live or pending, as a request does that fits nowhere else.
func (p *pool) dissolveAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all() {
		if s.free() < s.taken {
			p.dissolve(s)
		}
	}
}

// Blocks are allocated, freed, deferred, reused and reclaimed in any order, in slabs, in dissolved slabs and behind; each is what it should be.
func TestPending(t *testing.T) {
	if !feature.Heap.Streams {
		t.Skip("no block is pending")
	}
	dissolved := 0
	for seed := range uint64(6) {
		m := &ordered{newSmall(), t, rand.New(rand.NewPCG(seed, 11)), map[uint64]uint64{}, map[uint64]uint64{}, map[uint64]uint64{}, 0}
		for step := range 6000 {
			grows := step/1000%2 == 0
			switch op := m.r.IntN(10); {
			case op < 4 && grows || op < 2:
				m.alloc()
			case op < 6 && len(m.live) > 0:
				m.deferOne()
			case op < 7 && len(m.pending) > 0:
				m.reuse()
			case op < 8 && len(m.pending) > 0:
				m.reclaim()
			case len(m.live) > 0:
				m.freeOne()
			}
			switch m.r.IntN(200) {
			case 0:
				m.dissolveAll()
			case 1:
				m.Flush()
			}
			dissolved += len(m.dissolved)
			if step%100 == 0 {
				m.check()
			}
		}
		for len(m.pending) > 0 {
			m.reclaim()
		}
		for len(m.live) > 0 {
			m.freeOne()
		}
		m.check()
		m.empty(t)
	}
	if dissolved == 0 {
		t.Error("no slab was dissolved")
	}
}

// A chunk with a pending block stays, and Shut does not count the block as live.
func TestPendingStays(t *testing.T) {
	if !feature.Heap.Streams {
		t.Skip("no block is pending")
	}
	p := newSmall()
	a, _ := p.alloc(bins[0], 1)
	if v := p.Defer(a, bins[0]); v != poolimpl.Freed {
		t.Fatalf("defer: %d", v)
	}
	p.Flush()
	if p.Used(0) < bins[0] || p.Evict(0) || p.Shut(false) {
		t.Errorf("%d bytes are used by a pending block of %d, or its chunk is gone", p.Used(0), bins[0])
	}
	if p.Shut(true); p.Usage().Live != 0 || p.Usage().Occupied != 0 {
		t.Errorf("%+v", p.Usage())
	}
}

// Goroutines free each block twice at the same moment, one of them on a stream, while another has slabs dissolved. One free of each block succeeds.
func TestDeferTwice(t *testing.T) {
	if !feature.Heap.Streams {
		t.Skip("no block is pending")
	}
	p := newSmall()
	var done atomic.Bool
	var dissolves sync.WaitGroup
	dissolves.Go(func() {
		for !done.Load() {
			p.dissolveAll()
		}
	})
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		n := 1 + r.Uint64N(1<<(4+r.IntN(9)))
		a, ok := p.alloc(n, 1)
		if !ok {
			t.Fatal("no block")
		}
		var free poolimpl.Verdict
		var one sync.WaitGroup
		one.Go(func() { _, free = p.Free(a, n) })
		usable, deferred := p.DeferRounded(a, n)
		one.Wait()
		if free <= poolimpl.Emptied == (deferred <= poolimpl.Emptied) {
			t.Fatalf("free: %d, defer: %d", free, deferred)
		}
		if deferred <= poolimpl.Emptied {
			if r.IntN(2) == 0 {
				p.Reuse(a, n)
				_, free = p.Free(a, n)
			} else {
				_, free = p.Reclaim(a, usable)
			}
			if free > poolimpl.Emptied {
				t.Fatalf("a block that was deferred and reused is not freed: %d", free)
			}
		}
	}
	done.Store(true)
	dissolves.Wait()
	p.empty(t)
}
