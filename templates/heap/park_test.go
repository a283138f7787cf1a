package heap

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

var _ runtime.ParkingCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, *rand.Rand){(*model).park, (*model).park, (*model).unpark, (*model).retire, (*model).undo, (*model).retireAll}

// pickParked returns some parked block.
func (m *model) pickParked(r *rand.Rand) *block {
	var all []*block
	for _, slot := range m.slots() {
		for i := range m.areas[slot].blocks {
			if b := &m.areas[slot].blocks[i]; b.parked {
				all = append(all, b)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.IntN(len(all))]
}

func (m *model) park(r *rand.Rand) {
	b, ok := m.pick(r)
	if !ok {
		return
	}
	m.refuse("Park", m.core.Park, b)
	if v := m.core.Park(b.addr, b.bytes); v != runtime.Freed {
		m.t.Fatalf("park of %v: verdict %d", b, v)
	}
	m.find(b.addr, b.bytes).parked = true
	m.live--
	m.bytes -= b.bytes
	if v := m.core.Park(b.addr, b.bytes); v != runtime.Double {
		m.t.Fatalf("second park of %v: verdict %d", b, v)
	}
	if feature.Streams {
		for _, bytes := range []uint64{b.bytes, b.bytes + 1, 0} {
			if _, v := m.core.Free(b.addr, bytes); v != runtime.Double {
				m.t.Fatalf("free of parked %v with %d bytes: verdict %d", b, bytes, v)
			}
		}
		if _, v := m.core.Undo(b.addr, b.bytes); v != runtime.Double {
			m.t.Fatalf("undo of parked %v: verdict %d", b, v)
		}
	}
	for _, old := range m.old {
		if v := m.core.Park(old.addr, old.bytes); v != runtime.Double && v != runtime.Foreign && m.find(old.addr, old.bytes) == nil {
			m.t.Fatalf("park of freed %v: verdict %d", old, v)
		} else if v == runtime.Freed { // handed out again since
			m.core.Unpark(old.addr, old.bytes)
			m.total++
		}
	}
}

// refuse tries what must be refused around a live block.
func (m *model) refuse(name string, f func(addr, bytes uint64) runtime.Verdict, b block) {
	m.t.Helper()
	for _, w := range []struct{ addr, bytes uint64 }{
		{b.addr, b.bytes + 1}, {b.addr, b.bytes - 1}, {b.addr, 0}, {b.addr, b.bytes + 1<<32}, {b.addr + 1, b.bytes}, {b.addr ^ 1<<63, b.bytes},
	} {
		if m.find(w.addr, w.bytes) != nil {
			continue
		}
		if v := f(w.addr, w.bytes); v != runtime.Foreign && (w.addr == b.addr || v != runtime.Double) {
			m.t.Fatalf("%s(%#x, %d) near %v: verdict %d", name, w.addr, w.bytes, b, v)
		}
	}
}

func (m *model) unpark(r *rand.Rand) {
	b := m.pickParked(r)
	if b == nil {
		return
	}
	slot, off := m.core.Unpark(b.addr, b.bytes)
	if slot != b.slot || m.areas[slot].base+off != b.addr {
		m.t.Fatalf("unpark of %v: %d in chunk %d", b, off, slot)
	}
	b.parked = false
	m.live++
	m.total++
	m.bytes += b.bytes
	m.peak = max(m.peak, m.bytes)
}

func (m *model) retire(r *rand.Rand) {
	if b := m.pickParked(r); b != nil {
		m.drop(*b, m.core.Retire)
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
func (m *model) drop(b block, f func(addr, bytes uint64) (uint32, runtime.Verdict)) {
	m.t.Helper()
	a := m.areas[b.slot]
	k := slices.Index(a.blocks, b)
	a.blocks = slices.Delete(a.blocks, k, k+1)
	want := runtime.Freed
	if feature.Trims && len(a.blocks) == 0 {
		want = runtime.Emptied
	}
	if slot, v := f(b.addr, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("%v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	b.parked = false
	m.old = append(m.old, b)
}

// retireAll leaves nothing parked.
func (m *model) retireAll(*rand.Rand) {
	r := rand.New(rand.NewPCG(3, m.total))
	for b := m.pickParked(r); b != nil; b = m.pickParked(r) {
		m.drop(*b, m.core.Retire)
		m.check()
	}
}

// FuzzParking is FuzzOps for pools that are ordered with streams.
func FuzzParking(f *testing.F) {
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

func TestLongRunsParking(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(200+seed, 500), steps...)
	}
}

func BenchmarkPark(b *testing.B) {
	var c Core
	c.Add(0, 1<<40, 1<<20)
	for range 8 {
		c.Alloc(4*granule, 1)
	}
	for range b.N {
		c.Park(1<<40, 4*granule)
		c.Unpark(1<<40, 4*granule)
	}
}
