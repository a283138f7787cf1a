package direct

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, uint64){(*model).deferFree, (*model).deferFree, (*model).reuse, (*model).reclaim, (*model).undo}

// deferFree defers the block of a chunk, or what is none.
func (m *model) deferFree(x uint64) {
	slot := m.pick(x)
	addr, bytes, want := uint64(99-slot)<<12, uint64(1), poolimpl.Foreign
	if r := m.chunks[slot]; r != nil {
		switch bytes = r.bytes; {
		case bytes == 0 || r.pending:
			want = poolimpl.Double
		case x>>8&7 == 0:
			bytes++
		case x>>8&7 == 1:
			addr++
		case x>>8&7 == 2:
			bytes--
		default:
			want, r.pending = poolimpl.Freed, true
		}
	}
	v := m.c.Defer(addr, bytes)
	if v == poolimpl.Double && want == poolimpl.Foreign && m.chunks[slot] == nil && m.freed[addr] {
		return // it is remembered, which may be or not
	}
	if v != want {
		m.t.Fatalf("Defer(%#x, %d) = %d, want %d", addr, bytes, v, want)
	}
}

// pickPending returns a chunk that is pending, the first from some slot on.
func (m *model) pickPending(x uint64) (uint32, *region) {
	for i := range uint64(40) {
		if r := m.chunks[m.pick(x+i)]; r != nil && r.pending {
			return m.pick(x + i), r
		}
	}
	return 0, nil
}

func (m *model) reuse(x uint64) {
	slot, r := m.pickPending(x)
	if r == nil {
		return
	}
	if got, off := m.c.Reuse(r.base, r.bytes); got != slot || off != 0 {
		m.t.Fatalf("Reuse of %+v = %d, %d", r, got, off)
	}
	r.pending = false
	m.allocs++
	m.peak = max(m.peak, m.want().LiveBytes)
}

func (m *model) reclaim(x uint64) {
	if slot, r := m.pickPending(x); r != nil {
		m.release(slot, r, m.c.Reclaim)
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
		if r.bytes == x%4200+1 && !r.pending {
			m.release(slot, r, m.c.Undo)
			return
		}
	}
}

// release gives back a block that is not counted any more.
func (m *model) release(slot uint32, r *region, f func(addr, bytes uint64) (uint32, poolimpl.Verdict)) {
	m.t.Helper()
	if got, v := f(r.base, r.bytes); got != slot || v != poolimpl.Emptied {
		m.t.Fatalf("%+v: chunk %d, verdict %d", r, got, v)
	}
	r.bytes, r.pending = 0, false
	m.freed[r.base] = true
}

// FuzzStreams is FuzzOps for pools that are ordered with streams.
func FuzzStreams(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 0, 9, 7, 9, 1, 4, 0, 1, 6, 0, 1, 9, 0, 1, 7, 9, 1, 10, 0, 0, 11, 0, 9})
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops, steps...) })
}

func TestRandomStreams(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	ops := make([]byte, 60000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops, steps...)
}
