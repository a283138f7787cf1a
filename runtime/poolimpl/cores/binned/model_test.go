package binned

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// The model knows what was handed out, as a plain list, and what it was asked for.

type block struct {
	addr, bytes, room uint64
	slot              uint32
}

type area struct {
	base, size uint64
	live       int // and pending
}

type model struct {
	t       testing.TB
	core    Core
	areas   map[uint32]*area
	live    []block
	pending []block // pending
	old     []block // freed, for second frees
	bytes   uint64
	peak    uint64
	total   uint64
}

func newModel(t testing.TB) *model { return &model{t: t, core: newCore(), areas: map[uint32]*area{}} }

func (m *model) add(slot uint32, base, size uint64) {
	m.core.Add(slot, base, size)
	m.areas[slot] = &area{base: base, size: size}
}

func (m *model) remove(slot uint32) {
	m.t.Helper()
	a := m.areas[slot]
	if a.live != 0 || m.core.Used(slot) != 0 {
		m.t.Fatalf("chunk %d is not empty", slot)
	}
	m.core.Remove(slot)
	delete(m.areas, slot)
	m.old = slices.DeleteFunc(m.old, func(b block) bool { return b.slot == slot })
}

// bin returns the size of the smallest bin for a request, 0 if there is none.
func bin(bytes uint64) uint64 {
	for _, size := range bins {
		if size >= bytes {
			return size
		}
	}
	return 0
}

// roomOf returns the bytes that a block of the core takes up, and whether it is one of a slab.
func (m *model) roomOf(addr uint64) (uint64, bool) {
	if link := m.core.Space.Find(addr); link != nil && !m.core.Space.Held(*link) {
		return m.core.Space.Room(*link), false
	}
	s, _ := m.core.slabOf(addr, 0)
	return bins[s.bin], true
}

// alloc takes a block and compares it with all others.
func (m *model) alloc(bytes, align uint64) (block, bool) {
	m.t.Helper()
	slot, off, ok := m.core.Alloc(bytes, align)
	if !ok {
		m.refused(bytes, align)
		return block{}, false
	}
	a := m.areas[slot]
	if a == nil || bytes == 0 {
		m.t.Fatalf("alloc(%d, %d) in chunk %d", bytes, align, slot)
	}
	b := block{addr: a.base + off, bytes: bytes, slot: slot}
	room, small := m.roomOf(b.addr)
	b.room = room
	if b.room < bytes || off >= a.size || a.size-off < b.room || b.addr&(align-1) != 0 {
		m.t.Fatalf("alloc(%d, %d): %+v in %+v", bytes, align, b, *a)
	}
	if small && (b.room-bytes >= liveFlag || b.room > max(2*bin(bytes), bin((bytes+align-1)/align*align))) {
		m.t.Fatalf("alloc(%d, %d): %+v is too large", bytes, align, b)
	}
	for _, o := range slices.Concat(m.live, m.pending) {
		if b.addr-o.addr < o.room || o.addr-b.addr < b.room {
			m.t.Fatalf("alloc(%d, %d): %+v overlaps %+v", bytes, align, b, o)
		}
	}
	m.live = append(m.live, b)
	a.live++
	m.total++
	m.bytes += bytes
	m.peak = max(m.peak, m.bytes)
	return b, true
}

// refused verifies that a request was refused for good reason: no free range of the heap and no free block of its bin would do.
func (m *model) refused(bytes, align uint64) {
	m.t.Helper()
	if bytes == 0 {
		return
	}
	n, step := (bytes+unit-1)/unit*unit, max(align, unit)
	free := 0
	fits := false
	for slot, a := range m.areas {
		for i := m.core.Space.First(slot); i != 0; i = m.core.Space.Next(i) {
			_, off := m.core.Space.Place(i)
			if addr := a.base + off; m.core.Space.Find(addr) == nil {
				free++
				room := m.core.Space.Room(i)
				fits = fits || -addr&(step-1) <= room && room-(-addr&(step-1)) >= n
			}
		}
	}
	if fits && free < 64 {
		m.t.Fatalf("alloc(%d, %d) refused though the heap has room", bytes, align)
	}
	for b := range m.core.binSlabs {
		q := &m.core.binSlabs[b]
		if bins[b] == bin(bytes) && q.count|q.open|q.keptSlab != 0 && align <= unit && bins[b]-bytes < liveFlag && bins[b]%align == 0 {
			m.t.Fatalf("alloc(%d, %d) refused though its bin has blocks: %+v", bytes, align, q)
		}
	}
}

// free gives back a live block.
func (m *model) free(k int) {
	m.t.Helper()
	b := m.live[k]
	m.live[k] = m.live[len(m.live)-1]
	m.live = m.live[:len(m.live)-1]
	a := m.areas[b.slot]
	a.live--
	want := poolimpl.Freed
	if feature.Trims && a.live == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := m.core.Free(b.addr, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("free of %+v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	m.bytes -= b.bytes
	if m.old = append(m.old, b); len(m.old) > 64 {
		m.old = m.old[1:]
	}
}

// misuse tries frees that must be refused around a live block.
func (m *model) misuse(b block) {
	m.t.Helper()
	for _, w := range []block{
		{addr: b.addr, bytes: b.bytes + 1}, {addr: b.addr, bytes: b.bytes - 1}, {addr: b.addr, bytes: 0},
		{addr: b.addr, bytes: b.bytes + 1<<16}, {addr: b.addr, bytes: b.bytes + 1<<32}, {addr: b.addr, bytes: b.room + 1},
		{addr: b.addr + 1, bytes: b.bytes}, {addr: b.addr - 1, bytes: b.bytes}, {addr: b.addr + b.room/2, bytes: b.bytes},
		{addr: b.addr ^ 1<<63, bytes: b.bytes}, {addr: b.addr + 1<<36, bytes: b.bytes},
	} {
		if m.owns(w) {
			continue
		}
		if _, v := m.core.Free(w.addr, w.bytes); v != poolimpl.Foreign && (v != poolimpl.Double || m.covers(w.addr)) {
			m.t.Fatalf("free(%#x, %d) near %+v: verdict %d", w.addr, w.bytes, b, v)
		}
	}
}

// owns reports whether a free would be right.
func (m *model) owns(w block) bool {
	return slices.ContainsFunc(m.live, func(b block) bool { return b.addr == w.addr && b.bytes == w.bytes })
}

// covers reports whether an address lies in a live block.
func (m *model) covers(addr uint64) bool {
	return slices.ContainsFunc(m.live, func(b block) bool { return addr-b.addr < b.room })
}

// again frees a freed block once more.
func (m *model) again(b block) {
	m.t.Helper()
	if slices.ContainsFunc(m.pending, func(o block) bool { return b.addr-o.addr < o.room }) {
		if _, v := m.core.Free(b.addr, b.bytes); v != poolimpl.Double && v != poolimpl.Foreign {
			m.t.Fatalf("second free of %+v, now pending: verdict %d", b, v)
		}
		return
	}
	want := poolimpl.Double
	if slices.ContainsFunc(m.live, func(o block) bool { return b.addr-o.addr < o.room }) {
		if m.owns(b) {
			return
		}
		want = poolimpl.Foreign
	} else if s, _ := m.core.slabOf(b.addr, 0); s != nil { // perhaps of another bin
		if (b.addr-s.addr)%bins[s.bin] != 0 {
			want = poolimpl.Foreign
		}
	} else if b.addr%unit != 0 || m.inHeld(b) {
		want = poolimpl.Foreign
	}
	if _, v := m.core.Free(b.addr, b.bytes); v != want {
		m.t.Fatalf("second free of %+v: verdict %d, want %d", b, v, want)
	}
}

// inHeld reports whether a block begins in a range that the heap holds for a slab. Behind the blocks of the slab, that range may have some bytes that are
// in no block.
func (m *model) inHeld(b block) bool {
	s := &m.core.Space
	for i := s.First(b.slot); i != 0; i = s.Next(i) {
		if b.addr-s.Address(i) < s.Room(i) {
			return s.Held(i)
		}
	}
	return false
}

// check compares the counters and verifies the structure.
func (m *model) check() {
	m.t.Helper()
	u := m.core.Usage() // before Used, which would count for it
	m.core.check(m.t, len(m.pending) > 0)
	var occupied, largest uint64
	used := map[uint32]uint64{}
	for _, b := range m.live {
		used[b.slot] += b.room
		occupied += b.room
	}
	for _, b := range m.pending {
		used[b.slot] += b.room
	}
	for slot, a := range m.areas {
		if got := m.core.Used(slot); got != used[slot] || (got == 0) != (a.live == 0) {
			m.t.Fatalf("chunk %d: used %d, want %d", slot, got, used[slot])
		}
	}
	if u.Live != uint64(len(m.live)) || u.LiveBytes != m.bytes || u.Occupied != occupied {
		m.t.Fatalf("usage %+v, want live %d, bytes %d, occupied %d", u, len(m.live), m.bytes, occupied)
	}
	if feature.Counters && (u.Allocs != m.total || u.PeakBytes != m.peak) {
		m.t.Fatalf("usage %+v, want allocs %d, peak %d", u, m.total, m.peak)
	}
	largest = m.core.Space.Largest()
	var cached uint64
	for b := range m.core.binSlabs {
		if q := &m.core.binSlabs[b]; q.count|q.open|q.keptSlab != 0 {
			largest = max(largest, bins[b])
			cached += uint64(q.count) * bins[b]
			if q.keptSlab != 0 {
				cached += uint64(m.core.at(q.keptSlab).blocks) * bins[b]
			}
		}
	}
	if u.LargestFree != largest || u.Cached != cached {
		m.t.Fatalf("usage %+v, want largest %d, cached %d", u, largest, cached)
	}
	m.checkWalk()
}

// drain frees all blocks; then each chunk must be one range again, and go.
func (m *model) drain(r *rand.Rand) {
	m.t.Helper()
	for len(m.live) > 0 {
		m.free(r.IntN(len(m.live)))
	}
	m.check()
	if r.IntN(2) == 0 {
		kept := m.core.Usage().Cached > 0
		if m.core.Flush() != kept || m.core.Flush() || m.core.Usage().Cached != 0 {
			m.t.Fatalf("flush: kept was %v, usage is %+v", kept, m.core.Usage())
		}
		m.check()
		m.whole()
	}
	for slot := range m.areas {
		m.remove(slot)
		m.check()
	}
}

// whole verifies that each chunk is one range.
func (m *model) whole() {
	m.t.Helper()
	for slot := range m.areas {
		if i := m.core.Space.First(slot); i != 0 && m.core.Space.Next(i) != 0 {
			m.t.Fatalf("chunk %d is not one range", slot)
		}
	}
}
