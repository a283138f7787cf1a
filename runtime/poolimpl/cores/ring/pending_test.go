package ring

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.StreamCore = (*Core)(nil)

// steps are the operations of a pool that is ordered with streams.
var steps = []func(*model, uint64){
	(*model).deferFree, (*model).deferFree, (*model).reuse, (*model).reclaim, (*model).reclaim, (*model).undo, (*model).misusePending,
}

// some takes one of the older blocks out of a list as a rule, now and then any.
func some(list *[]piece, x uint64) piece {
	i := x % uint64(len(*list))
	if x>>8&3 != 0 {
		i = x % min(4, uint64(len(*list)))
	}
	b := (*list)[i]
	*list = slices.Delete(*list, int(i), int(i)+1)
	return b
}

func (m *model) deferFree(x uint64) {
	if len(m.live) == 0 {
		return
	}
	b := some(&m.live, x)
	for _, w := range []piece{{at: b.at, bytes: b.bytes + 1}, {at: b.at, bytes: 0}, {at: b.at, bytes: b.bytes | pendingFlag}, {at: b.at + 1, bytes: b.bytes}} {
		if slices.ContainsFunc(m.live, func(o piece) bool { return o.at == w.at && o.bytes == w.bytes }) {
			continue // the next block, where a granule is one byte
		}
		if v := m.c.Defer(w.at, w.bytes); v != poolimpl.Foreign && (v != poolimpl.Double || w.at == b.at) {
			m.t.Fatalf("Defer(%+v) near %+v = %d", w, b, v)
		}
	}
	if v := m.c.Defer(b.at, b.bytes); v != poolimpl.Freed {
		m.t.Fatalf("Defer(%+v) = %d", b, v)
	}
	m.pending = append(m.pending, b)
}

func (m *model) reuse(x uint64) {
	if len(m.pending) == 0 {
		return
	}
	b := some(&m.pending, x)
	if slot, off := m.c.Reuse(b.at, b.bytes); slot != b.slot || m.chunks[slot].base+off != b.at {
		m.t.Fatalf("Reuse(%+v) = %d, %d", b, slot, off)
	}
	m.live = append(m.live, b)
	m.allocs++
	m.peak = max(m.peak, m.bytes())
}

func (m *model) reclaim(x uint64) {
	if len(m.pending) > 0 {
		m.release(some(&m.pending, x), m.c.Reclaim)
	}
}

// undo takes a block and gives it back at once. Only the peak may tell.
func (m *model) undo(x uint64) {
	before := len(m.live)
	if m.alloc(x); len(m.live) > before {
		b := m.live[before]
		m.live = m.live[:before]
		m.allocs--
		m.release(b, m.c.Undo)
	}
}

// release gives back a block that is not counted any more.
func (m *model) release(b piece, f func(at, bytes uint64) (uint32, poolimpl.Verdict)) {
	m.t.Helper()
	m.dead = append(m.dead, b)
	want := poolimpl.Freed
	if feature.Trims && m.count(b.slot) == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := f(b.at, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("%+v: chunk %d, verdict %d; want %d", b, slot, v, want)
	}
}

// misusePending gives back what is pending.
func (m *model) misusePending(x uint64) {
	if len(m.pending) == 0 {
		return
	}
	b := m.pending[x%uint64(len(m.pending))]
	for _, bytes := range []uint64{b.bytes, b.bytes + 1, 0, b.bytes | pendingFlag} {
		if m.c.FreeFast(b.at, bytes) {
			m.t.Fatalf("FreeFast of pending %+v", b)
		}
		want := poolimpl.Double
		_, freed := m.c.Free(b.at, bytes)
		_, undone := m.c.Undo(b.at, bytes)
		if freed != want || undone != want || m.c.Defer(b.at, bytes) != want {
			m.t.Fatalf("%+v is pending: free %d, undo %d", b, freed, undone)
		}
	}
}

// FuzzStreams is FuzzOps for pools that are ordered with streams.
func FuzzStreams(f *testing.F) {
	f.Add([]byte{9, 0, 4, 0, 0, 9, 0, 5, 0, 11, 0, 1, 17, 0, 0, 4, 0, 0, 14, 0, 4, 10, 0, 4})
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops, steps...) })
}

func TestRandomStreams(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 10))
	ops := make([]byte, 90000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops, steps...)
}

func BenchmarkDefer(b *testing.B) {
	needRoom(b)
	c := newCore()
	c.Add(0, 1<<40, arenaSize)
	var at []uint64
	for range 8 {
		_, off, _ := c.Alloc(granule, 1)
		at = append(at, 1<<40+off)
	}
	b.Run("reuse", func(b *testing.B) {
		for range b.N {
			c.Defer(at[3], granule)
			c.Reuse(at[3], granule)
		}
	})
	b.Run("retire", func(b *testing.B) {
		for i := range b.N {
			c.Defer(at[i%8], granule)
			c.Reclaim(at[i%8], granule)
			_, off, _ := c.Alloc(granule, 1)
			at[i%8] = 1<<40 + off
		}
	})
}
