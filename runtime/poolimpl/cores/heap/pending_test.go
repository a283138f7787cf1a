package heap

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, *rand.Rand){(*model).deferFree, (*model).deferFree, (*model).reuse, (*model).reclaim, (*model).undo, (*model).resetPending, (*model).reclaimAll}

// pickPending returns some pending block.
func (m *model) pickPending(r *rand.Rand) *block {
	var all []*block
	for _, slot := range m.slots() {
		for i := range m.areas[slot].blocks {
			if b := &m.areas[slot].blocks[i]; b.pending {
				all = append(all, b)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.IntN(len(all))]
}

func (m *model) deferFree(r *rand.Rand) {
	b, ok := m.pick(r)
	if !ok {
		return
	}
	m.refuse("Defer", m.core.Defer, b)
	if v := m.core.Defer(b.addr, b.bytes); v != poolimpl.Freed {
		m.t.Fatalf("defer of %v: verdict %d", b, v)
	}
	m.find(b.addr, b.bytes).pending = true
	m.live--
	m.bytes -= b.bytes
	if v := m.core.Defer(b.addr, b.bytes); v != poolimpl.Double {
		m.t.Fatalf("second defer of %v: verdict %d", b, v)
	}
	{
		for _, bytes := range []uint64{b.bytes, b.bytes + 1, 0} {
			if _, v := m.core.Free(b.addr, bytes); v != poolimpl.Double {
				m.t.Fatalf("free of pending %v with %d bytes: verdict %d", b, bytes, v)
			}
		}
		if _, v := m.core.Undo(b.addr, b.bytes); v != poolimpl.Double {
			m.t.Fatalf("undo of pending %v: verdict %d", b, v)
		}
	}
	for _, old := range m.old {
		if v := m.core.Defer(old.addr, old.bytes); v != poolimpl.Double && v != poolimpl.Foreign && m.find(old.addr, old.bytes) == nil {
			m.t.Fatalf("defer of freed %v: verdict %d", old, v)
		} else if v == poolimpl.Freed { // handed out again since
			m.core.Reuse(old.addr, old.bytes)
			m.total++
		}
	}
}

// refuse tries what must be refused around a live block.
func (m *model) refuse(name string, f func(addr, bytes uint64) poolimpl.Verdict, b block) {
	m.t.Helper()
	for _, w := range []struct{ addr, bytes uint64 }{
		{b.addr, b.bytes + 1}, {b.addr, b.bytes - 1}, {b.addr, 0}, {b.addr, b.bytes + 1<<32}, {b.addr + 1, b.bytes}, {b.addr ^ 1<<63, b.bytes},
	} {
		if m.find(w.addr, w.bytes) != nil {
			continue
		}
		if v := f(w.addr, w.bytes); v != poolimpl.Foreign && (w.addr == b.addr || v != poolimpl.Double) {
			m.t.Fatalf("%s(%#x, %d) near %v: verdict %d", name, w.addr, w.bytes, b, v)
		}
	}
}

func (m *model) reuse(r *rand.Rand) {
	b := m.pickPending(r)
	if b == nil {
		return
	}
	slot, off := m.core.Reuse(b.addr, b.bytes)
	if slot != b.slot || m.areas[slot].base+off != b.addr {
		m.t.Fatalf("reuse of %v: %d in chunk %d", b, off, slot)
	}
	b.pending = false
	m.live++
	m.total++
	m.bytes += b.bytes
	m.peak = max(m.peak, m.bytes)
}

func (m *model) reclaim(r *rand.Rand) {
	if b := m.pickPending(r); b != nil {
		m.drop(*b, m.core.Reclaim)
	}
}

// undo takes a block and gives it back at once. Only the peak may tell.
func (m *model) undo(r *rand.Rand) {
	if b, ok := m.alloc(r.Uint64N(40*granule)+1, 1); ok {
		m.total--
		m.live--
		m.bytes -= b.bytes
		m.drop(b, m.core.Undo)
	}
}

// drop removes a block that is not counted any more.
func (m *model) drop(b block, f func(addr, bytes uint64) (uint32, poolimpl.Verdict)) {
	m.t.Helper()
	a := m.areas[b.slot]
	k := slices.Index(a.blocks, b)
	a.blocks = slices.Delete(a.blocks, k, k+1)
	want := poolimpl.Freed
	if feature.Trims && len(a.blocks) == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := f(b.addr, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("%v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	b.pending = false
	m.old = append(m.old, b)
}

// reclaimAll leaves nothing pending.
func (m *model) reclaimAll(*rand.Rand) {
	r := rand.New(rand.NewPCG(3, m.total))
	for b := m.pickPending(r); b != nil; b = m.pickPending(r) {
		m.drop(*b, m.core.Reclaim)
		m.check()
	}
}

// resetPending frees all blocks at once, after those that are pending.
func (m *model) resetPending(r *rand.Rand) {
	m.reclaimAll(r)
	m.reset(r)
}

// FuzzStreams is FuzzOps for pools that are ordered with streams.
func FuzzStreams(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(script(300+seed, 100))
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
		run(t, script(200+seed, 500), steps...)
	}
}

func BenchmarkDefer(b *testing.B) {
	c := newCore()
	c.Add(0, 1<<40, 1<<20)
	for range 8 {
		c.Alloc(4*granule, 1)
	}
	for range b.N {
		c.Defer(1<<40, 4*granule)
		c.Reuse(1<<40, 4*granule)
	}
}
