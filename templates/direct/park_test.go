package direct

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime"
)

var _ runtime.ParkingCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, uint64){(*model).park, (*model).park, (*model).unpark, (*model).retire, (*model).undo}

// park parks the block of a chunk, or what is none.
func (m *model) park(x uint64) {
	slot := m.pick(x)
	addr, bytes, want := uint64(99-slot)<<12, uint64(1), runtime.Foreign
	if r := m.chunks[slot]; r != nil {
		switch bytes = r.bytes; {
		case bytes == 0 || r.parked:
			want = runtime.Double
		case x>>8&7 == 0:
			bytes++
		case x>>8&7 == 1:
			addr++
		case x>>8&7 == 2:
			bytes--
		default:
			want, r.parked = runtime.Freed, true
		}
	}
	v := m.c.Park(addr, bytes)
	if v == runtime.Double && want == runtime.Foreign && m.chunks[slot] == nil && m.freed[addr] {
		return // it is remembered, which may be or not
	}
	if v != want {
		m.t.Fatalf("Park(%#x, %d) = %d, want %d", addr, bytes, v, want)
	}
}

// parked returns a chunk that is parked, the first from some slot on.
func (m *model) parked(x uint64) (uint32, *region) {
	for i := range uint64(40) {
		if r := m.chunks[m.pick(x+i)]; r != nil && r.parked {
			return m.pick(x + i), r
		}
	}
	return 0, nil
}

func (m *model) unpark(x uint64) {
	slot, r := m.parked(x)
	if r == nil {
		return
	}
	if got, off := m.c.Unpark(r.base, r.bytes); got != slot || off != 0 {
		m.t.Fatalf("Unpark of %+v = %d, %d", r, got, off)
	}
	r.parked = false
	m.allocs++
	m.peak = max(m.peak, m.want().LiveBytes)
}

func (m *model) retire(x uint64) {
	if slot, r := m.parked(x); r != nil {
		m.gone(slot, r, m.c.Retire)
	}
}

// undo takes a block and gives it back at once. Only the peak may tell.
func (m *model) undo(x uint64) {
	before := m.allocs
	if m.alloc(x); m.allocs == before {
		return
	}
	m.allocs--
	for slot, r := range m.chunks {
		if r.bytes == x%4200+1 && !r.parked {
			m.gone(slot, r, m.c.Undo)
			return
		}
	}
}

// gone gives back a block that is not counted any more.
func (m *model) gone(slot uint32, r *region, f func(addr, bytes uint64) (uint32, runtime.Verdict)) {
	m.t.Helper()
	if got, v := f(r.base, r.bytes); got != slot || v != runtime.Emptied {
		m.t.Fatalf("%+v: chunk %d, verdict %d", r, got, v)
	}
	r.bytes, r.parked = 0, false
	m.freed[r.base] = true
}

// FuzzParking is FuzzOps for pools that are ordered with streams.
func FuzzParking(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 0, 9, 7, 9, 1, 4, 0, 1, 6, 0, 1, 9, 0, 1, 7, 9, 1, 10, 0, 0, 11, 0, 9})
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops, steps...) })
}

func TestRandomParking(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	ops := make([]byte, 60000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops, steps...)
}
