package binned

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

var _ runtime.ParkingCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, *rand.Rand){
	(*model).parkOne, (*model).parkMany, (*model).unpark, (*model).unpark, (*model).retire, (*model).retire, (*model).undo, (*model).retireAll,
}

func (m *model) parkOne(r *rand.Rand) {
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
		if v := m.core.Park(w.addr, w.bytes); v != runtime.Foreign && (v != runtime.Double || m.covers(w.addr)) {
			m.t.Fatalf("park(%#x, %d) near %+v: verdict %d", w.addr, w.bytes, b, v)
		}
	}
	m.live = slices.Delete(m.live, k, k+1)
	m.bytes -= b.bytes
	m.park = append(m.park, b)
	if v := m.core.Park(b.addr, b.bytes); v != runtime.Freed {
		m.t.Fatalf("park of %+v: verdict %d", b, v)
	}
	for _, bytes := range []uint64{b.bytes, b.bytes + 1, 0, 1 << 32} {
		_, undone := m.core.Undo(b.addr, bytes)
		_, freed := m.core.Free(b.addr, bytes)
		again := m.core.Park(b.addr, bytes)
		if want := runtime.Double; feature.Streams && (undone != want || freed != want || again != want) || undone < runtime.Foreign || freed < runtime.Foreign || again < runtime.Foreign {
			m.t.Fatalf("%+v is parked: undo %d, free %d, park %d", b, undone, freed, again)
		}
	}
}

func (m *model) parkMany(r *rand.Rand) {
	for range r.IntN(40) {
		m.parkOne(r)
	}
}

// pop takes out some parked block, the last one as a rule.
func (m *model) pop(r *rand.Rand) (b block, ok bool) {
	if len(m.park) == 0 {
		return block{}, false
	}
	k := len(m.park) - 1
	if r.IntN(2) == 0 {
		k = r.IntN(len(m.park))
	}
	b = m.park[k]
	m.park = slices.Delete(m.park, k, k+1)
	return b, true
}

func (m *model) unpark(r *rand.Rand) {
	b, ok := m.pop(r)
	if !ok {
		return
	}
	if slot, off := m.core.Unpark(b.addr, b.bytes); slot != b.slot || m.areas[slot].base+off != b.addr {
		m.t.Fatalf("unpark of %+v: %d in chunk %d", b, off, slot)
	}
	m.live = append(m.live, b)
	m.total++
	m.bytes += b.bytes
	m.peak = max(m.peak, m.bytes)
}

func (m *model) retire(r *rand.Rand) {
	if b, ok := m.pop(r); ok {
		m.gone(b, m.core.Retire)
	}
}

// undo takes blocks and gives them back at once. Only the peak may tell.
func (m *model) undo(r *rand.Rand) {
	for range r.IntN(4) {
		if b, ok := m.alloc(uint64(r.IntN(1<<r.IntN(14)))+1, 1); ok {
			m.live = m.live[:len(m.live)-1]
			m.total--
			m.bytes -= b.bytes
			m.gone(b, m.core.Undo)
		}
	}
}

// gone gives back a block that is not counted any more.
func (m *model) gone(b block, f func(addr, bytes uint64) (uint32, runtime.Verdict)) {
	m.t.Helper()
	a := m.areas[b.slot]
	a.live--
	want := runtime.Freed
	if feature.Trims && a.live == 0 {
		want = runtime.Emptied
	}
	if slot, v := f(b.addr, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("%+v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	m.old = append(m.old, b)
}

// retireAll leaves nothing parked.
func (m *model) retireAll(*rand.Rand) {
	r := rand.New(rand.NewPCG(3, m.total))
	for len(m.park) > 0 {
		m.retire(r)
	}
	m.check()
}

// FuzzParking is FuzzOps for pools that are ordered with streams.
func FuzzParking(f *testing.F) {
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

func TestLongRunsParking(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(200+seed, 400), steps...)
	}
}

func BenchmarkPark(b *testing.B) {
	for _, bytes := range []uint64{bins[0], bins[len(bins)-1] + 1} {
		var c Core
		c.Add(0, 1<<40, 1<<20)
		slot, off, _ := c.Alloc(bytes, 1)
		addr := 1<<40 + off + uint64(slot)
		b.Run("", func(b *testing.B) {
			for range b.N {
				c.Park(addr, bytes)
				c.Unpark(addr, bytes)
			}
		})
	}
}
