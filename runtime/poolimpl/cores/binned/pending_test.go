package binned

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, *rand.Rand){
	(*model).deferOne, (*model).deferMany, (*model).reuse, (*model).reuse, (*model).reclaim, (*model).reclaim, (*model).undo, (*model).resetPending, (*model).reclaimAll,
}

func (m *model) deferOne(r *rand.Rand) {
	if len(m.live) == 0 {
		return
	}
	k := r.IntN(len(m.live))
	b := m.live[k]
	for _, w := range []block{
		{addr: b.addr, bytes: b.bytes + 1}, {addr: b.addr, bytes: b.bytes - 1}, {addr: b.addr, bytes: 0}, {addr: b.addr, bytes: b.bytes + 1<<16},
		{addr: b.addr + 1, bytes: b.bytes}, {addr: b.addr ^ 1<<63, bytes: b.bytes}, {addr: b.addr + b.room/2, bytes: b.bytes},
	} {
		if m.owns(w) {
			continue
		}
		if v := m.core.Defer(w.addr, w.bytes); v != poolimpl.Foreign && (v != poolimpl.Double || m.covers(w.addr)) {
			m.t.Fatalf("defer(%#x, %d) near %+v: verdict %d", w.addr, w.bytes, b, v)
		}
	}
	m.live = slices.Delete(m.live, k, k+1)
	m.bytes -= b.bytes
	m.pending = append(m.pending, b)
	if v := m.core.Defer(b.addr, b.bytes); v != poolimpl.Freed {
		m.t.Fatalf("defer of %+v: verdict %d", b, v)
	}
	for _, bytes := range []uint64{b.bytes, b.bytes + 1, 0, 1 << 32} {
		_, undone := m.core.Undo(b.addr, bytes)
		_, freed := m.core.Free(b.addr, bytes)
		again := m.core.Defer(b.addr, bytes)
		if want := poolimpl.Double; undone != want || freed != want || again != want {
			m.t.Fatalf("%+v is pending: undo %d, free %d, defer %d", b, undone, freed, again)
		}
	}
}

func (m *model) deferMany(r *rand.Rand) {
	for range r.IntN(40) {
		m.deferOne(r)
	}
}

// pop takes out some pending block, the last one as a rule.
func (m *model) pop(r *rand.Rand) (b block, ok bool) {
	if len(m.pending) == 0 {
		return block{}, false
	}
	k := len(m.pending) - 1
	if r.IntN(2) == 0 {
		k = r.IntN(len(m.pending))
	}
	b = m.pending[k]
	m.pending = slices.Delete(m.pending, k, k+1)
	return b, true
}

func (m *model) reuse(r *rand.Rand) {
	b, ok := m.pop(r)
	if !ok {
		return
	}
	if slot, off := m.core.Reuse(b.addr, b.bytes); slot != b.slot || m.areas[slot].base+off != b.addr {
		m.t.Fatalf("reuse of %+v: %d in chunk %d", b, off, slot)
	}
	m.live = append(m.live, b)
	m.total++
	m.bytes += b.bytes
	m.peak = max(m.peak, m.bytes)
}

func (m *model) reclaim(r *rand.Rand) {
	if b, ok := m.pop(r); ok {
		m.release(b, m.core.Reclaim)
	}
}

// undo takes blocks and gives them back at once. Only the peak may tell.
func (m *model) undo(r *rand.Rand) {
	for range r.IntN(4) {
		if b, ok := m.alloc(uint64(r.IntN(1<<r.IntN(14)))+1, 1); ok {
			m.live = m.live[:len(m.live)-1]
			m.total--
			m.bytes -= b.bytes
			m.release(b, m.core.Undo)
		}
	}
}

// release gives back a block that is not counted any more.
func (m *model) release(b block, f func(addr, bytes uint64) (uint32, poolimpl.Verdict)) {
	m.t.Helper()
	a := m.areas[b.slot]
	a.live--
	want := poolimpl.Freed
	if feature.Trims && a.live == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := f(b.addr, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("%+v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	m.old = append(m.old, b)
}

// reclaimAll leaves nothing pending.
func (m *model) reclaimAll(*rand.Rand) {
	r := rand.New(rand.NewPCG(3, m.total))
	for len(m.pending) > 0 {
		m.reclaim(r)
	}
	m.check()
}

// resetPending frees all blocks at once, after those that are pending.
func (m *model) resetPending(r *rand.Rand) {
	m.reclaimAll(r)
	m.reset(r)
}

// FuzzStreams is FuzzOps for pools that are ordered with streams.
func FuzzStreams(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(script(300+seed, 80))
	}
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 1500 {
			ops = ops[:1500]
		}
		run(t, ops, steps...)
	})
}

func TestLongRunsStreams(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(200+seed, 400), steps...)
	}
}

func BenchmarkDefer(b *testing.B) {
	for _, bytes := range []uint64{bins[0], bins[len(bins)-1] + 1} {
		c := newCore()
		c.Add(0, 1<<40, 1<<20)
		slot, off, _ := c.Alloc(bytes, 1)
		addr := 1<<40 + off + uint64(slot)
		b.Run("", func(b *testing.B) {
			for range b.N {
				c.Defer(addr, bytes)
				c.Reuse(addr, bytes)
			}
		})
	}
}
