package classes

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, uint64){
	(*model).deferOne, (*model).deferOne, (*model).deferOne, (*model).reuse, (*model).reclaim, (*model).reclaim, (*model).undo, (*model).resetPending, (*model).reclaimAll,
}

func (m *model) deferOne(x uint64) {
	if len(m.live) == 0 {
		return
	}
	j := int(x % uint64(len(m.live)))
	b := m.live[j]
	for _, w := range []block{
		{addr: b.addr, bytes: b.bytes + 1}, {addr: b.addr, bytes: b.bytes - 1}, {addr: b.addr, bytes: 0},
		{addr: b.addr + 1, bytes: b.bytes}, {addr: b.addr + 16, bytes: b.bytes}, {addr: b.addr ^ 1<<62, bytes: b.bytes},
	} {
		if m.isLive(w) {
			continue
		}
		if v := m.core.Defer(w.addr, w.bytes); v != poolimpl.Foreign && v != poolimpl.Double {
			m.t.Fatalf("defer(%#x, %d) near %+v: verdict %d", w.addr, w.bytes, b, v)
		}
	}
	m.live = slices.Delete(m.live, j, j+1)
	if v := m.core.Defer(b.addr, b.bytes); v != poolimpl.Freed {
		m.t.Fatalf("defer of %+v: verdict %d", b, v)
	}
	m.pending = append(m.pending, b)
	for _, bytes := range []uint64{b.bytes, b.bytes + 1, 0} {
		_, undone := m.core.Undo(b.addr, bytes)
		_, freed := m.core.Free(b.addr, bytes)
		if again := m.core.Defer(b.addr, bytes); undone != poolimpl.Double || freed != poolimpl.Double || again != poolimpl.Double {
			m.t.Fatalf("%+v is pending: undo %d, free %d, defer %d", b, undone, freed, again)
		}
	}
	for _, list := range m.kept {
		for _, addr := range list {
			if v := m.core.Defer(addr, b.bytes); v != poolimpl.Double {
				m.t.Fatalf("defer of kept %#x: verdict %d", addr, v)
			}
		}
	}
}

// pop takes some pending block out.
func (m *model) pop(x uint64) block {
	j := int(x % uint64(len(m.pending)))
	b := m.pending[j]
	m.pending = slices.Delete(m.pending, j, j+1)
	return b
}

func (m *model) reuse(x uint64) {
	if len(m.pending) == 0 {
		return
	}
	b := m.pop(x)
	if slot, off := m.core.Reuse(b.addr, b.bytes); slot != b.slot || m.areas[slot].base+off != b.addr {
		m.t.Fatalf("reuse of %+v: %d in chunk %d", b, off, slot)
	}
	m.live = append(m.live, b)
	m.total++
	m.peak = max(m.peak, m.bytes())
}

func (m *model) reclaim(x uint64) {
	if len(m.pending) > 0 {
		m.release(m.pop(x), m.core.Reclaim)
	}
}

// undo takes a block and gives it back at once. Only the peak may tell.
func (m *model) undo(x uint64) {
	if b, ok := m.alloc(x%(3*unit)+1, 1); ok {
		m.live = m.live[:len(m.live)-1]
		m.total--
		m.release(b, m.core.Undo)
	}
}

// reclaimAll leaves nothing pending.
func (m *model) reclaimAll(x uint64) {
	for len(m.pending) > 0 {
		m.reclaim(x)
		m.check()
	}
}

// resetPending frees all blocks at once, after those that are pending.
func (m *model) resetPending(x uint64) {
	m.reclaimAll(x)
	m.reset(x)
}

// FuzzStreams is FuzzOps for pools that are ordered with streams.
func FuzzStreams(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(script(300+seed, 150))
	}
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 3000 {
			ops = ops[:3000]
		}
		run(t, ops, steps...)
	})
}

func TestLongRunsStreams(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(200+seed, 800), steps...)
	}
}

func BenchmarkDefer(b *testing.B) {
	c := newCore()
	c.Add(0, 1<<40, 1<<20)
	c.Alloc(1000, 1)
	for range b.N {
		c.Defer(1<<40, 1000)
		c.Reuse(1<<40, 1000)
	}
}
