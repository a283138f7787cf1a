package classes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// The model knows the live blocks and the blocks that each class should keep.

type block struct {
	addr, bytes uint64
	slot        uint32
}

type area struct{ base, size uint64 }

type model struct {
	t       testing.TB
	core    Core
	areas   map[uint32]area
	live    []block
	pending []block // pending
	dead    []block
	kept    [][]uint64 // addresses of kept blocks, the last kept one last
	peak    uint64
	total   uint64
}

func newModel(t testing.TB) *model {
	return &model{t: t, core: newCore(), areas: map[uint32]area{}, kept: make([][]uint64, len(bins))}
}

func (m *model) add(slot uint32, a area) {
	m.core.Add(slot, a.base, a.size)
	m.areas[slot] = a
}

// removable reports whether no live or pending block lies in a chunk.
func (m *model) removable(slot uint32) bool {
	return !slices.ContainsFunc(slices.Concat(m.live, m.pending), func(b block) bool { return b.slot == slot })
}

func (m *model) remove(slot uint32) {
	a := m.areas[slot]
	m.core.Remove(slot)
	delete(m.areas, slot)
	inside := func(addr uint64) bool { return addr-a.base < a.size }
	for k := range m.kept {
		m.kept[k] = slices.DeleteFunc(m.kept[k], inside)
	}
	m.dead = slices.DeleteFunc(m.dead, func(b block) bool { return inside(b.addr) })
}

func (m *model) bytes() (sum uint64) {
	for _, b := range m.live {
		sum += b.bytes
	}
	return sum
}

// alloc takes a block; if the class keeps one, it is the last kept one.
func (m *model) alloc(bytes, align uint64) (block, bool) {
	m.t.Helper()
	slot, off, ok := m.core.Alloc(bytes, align)
	k := m.core.classOf(bytes)
	var want uint64
	if bytes != 0 && k < len(bins) && len(m.kept[k]) > 0 {
		if last := m.kept[k][len(m.kept[k])-1]; last%align == 0 {
			want = last
		}
	}
	if !ok {
		if want != 0 {
			m.t.Fatalf("alloc(%d, %d) refused although %#x is kept", bytes, align, want)
		}
		return block{}, false
	}
	a, known := m.areas[slot]
	b := block{addr: a.base + off, bytes: bytes, slot: slot}
	if !known || off > a.size || a.size-off < bytes || b.addr%align != 0 {
		m.t.Fatalf("alloc(%d, %d): %#x of chunk %d", bytes, align, b.addr, slot)
	}
	if want != 0 {
		if b.addr != want {
			m.t.Fatalf("alloc(%d, %d): %#x, but %#x is kept", bytes, align, b.addr, want)
		}
		m.kept[k] = m.kept[k][:len(m.kept[k])-1]
	}
	for _, l := range slices.Concat(m.live, m.pending) {
		if b.addr-l.addr < l.bytes || l.addr-b.addr < b.bytes {
			m.t.Fatalf("alloc(%d, %d): %+v overlaps %+v", bytes, align, b, l)
		}
	}
	m.live = append(m.live, b)
	m.total++
	m.peak = max(m.peak, m.bytes())
	return b, true
}

// free gives back live block j.
func (m *model) free(j int) {
	m.t.Helper()
	b := m.live[j]
	m.misuse(b)
	m.live = slices.Delete(m.live, j, j+1)
	m.release(b, m.core.Free)
}

// release gives back a block that is in no list of the model any more.
func (m *model) release(b block, f func(addr, bytes uint64) (uint32, poolimpl.Verdict)) {
	m.t.Helper()
	cached := m.core.cached()
	slot, v := f(b.addr, b.bytes)
	want := poolimpl.Freed
	if feature.Trims && m.removable(b.slot) {
		want = poolimpl.Emptied
	}
	if slot != b.slot || v != want {
		m.t.Fatalf("free of %+v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	if m.core.cached() != cached {
		k := m.core.classOf(b.bytes)
		m.kept[k] = append(m.kept[k], b.addr)
	}
	m.dead = append(m.dead, b)
}

// misuse tries frees that must be refused around a live block.
func (m *model) misuse(b block) {
	m.t.Helper()
	for _, w := range []block{
		{addr: b.addr, bytes: b.bytes + 1}, {addr: b.addr, bytes: b.bytes - 1}, {addr: b.addr, bytes: 0},
		{addr: b.addr + 1, bytes: b.bytes}, {addr: b.addr + 16, bytes: b.bytes}, {addr: b.addr ^ 1<<62, bytes: b.bytes},
	} {
		if m.isLive(w) {
			continue
		}
		if _, v := m.core.Free(w.addr, w.bytes); v != poolimpl.Foreign && v != poolimpl.Double {
			m.t.Fatalf("free(%#x, %d) near %+v: verdict %d", w.addr, w.bytes, b, v)
		}
	}
}

func (m *model) isLive(w block) bool {
	return slices.ContainsFunc(m.live, func(b block) bool { return b.addr == w.addr && b.bytes == w.bytes })
}

// again frees dead block j once more. It is double as long as the block is kept.
func (m *model) again(j int) {
	m.t.Helper()
	b := m.dead[j]
	if slices.ContainsFunc(m.live, func(l block) bool { return l.addr == b.addr }) {
		return
	}
	kept := slices.ContainsFunc(m.kept, func(list []uint64) bool { return slices.Contains(list, b.addr) })
	if _, v := m.core.Free(b.addr, b.bytes); v != poolimpl.Double && (kept || v != poolimpl.Foreign) {
		m.t.Fatalf("second free of %+v: verdict %d", b, v)
	}
}

func (m *model) flush() {
	m.t.Helper()
	any := slices.ContainsFunc(m.kept, func(list []uint64) bool { return len(list) > 0 })
	if m.core.Flush() != any {
		m.t.Fatalf("flush says %v, kept %v", !any, any)
	}
	clear(m.kept)
}

func (m *model) slots() []uint32 {
	var out []uint32
	for slot := range m.areas {
		out = append(out, slot)
	}
	slices.Sort(out)
	return out
}

func (m *model) check() {
	m.t.Helper()
	m.core.check(m.t, m.slots())
	u := m.core.Usage()
	if u.Live != uint64(len(m.live)) || u.LiveBytes != m.bytes() || u.Cached != m.core.cached() {
		m.t.Fatalf("usage %+v of %d blocks, %d bytes", u, len(m.live), m.bytes())
	}
	if len(m.live) == 0 && u.Occupied != 0 {
		m.t.Fatalf("usage %+v with nothing live", u)
	}
	if feature.Counters && (u.Allocs != m.total || u.PeakBytes != m.peak) {
		m.t.Fatalf("usage %+v, want allocs %d, peak %d", u, m.total, m.peak)
	}
	m.checkWalk()
}

// drain frees all and removes the chunks, half of them with blocks still kept there.
func (m *model) drain(r *rand.Rand) {
	for len(m.live) > 0 {
		m.free(r.IntN(len(m.live)))
	}
	m.check()
	for i, slot := range m.slots() {
		if i == len(m.areas)/2 {
			m.flush()
			m.check()
		}
		m.remove(slot)
		m.check()
	}
	if u := m.core.Usage(); u.Cached != 0 || u.Occupied != 0 || u.LargestFree != 0 {
		m.t.Fatalf("usage %+v without chunks", u)
	}
}
