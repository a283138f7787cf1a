package heap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// The model of a heap: plain lists, searched from end to end.

type block struct {
	addr, bytes, room uint64
	slot              uint32
	pending           bool
}

type area struct {
	base, size uint64
	blocks     []block // in address order, live and pending
}

type model struct {
	t     testing.TB
	core  Core
	areas map[uint32]*area
	old   []block // freed blocks, for second frees
	live  uint64
	bytes uint64
	peak  uint64
	total uint64
}

func newModel(t testing.TB) *model { return &model{t: t, core: newCore(), areas: map[uint32]*area{}} }

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }

// gap is a free range of the model.
type gap struct {
	addr, size uint64
}

// gaps lists the free ranges of an area, which begins at its first multiple of the granule and has whole granules.
func (a *area) gaps() []gap {
	at := roundUp(a.base, granule)
	end := at + (a.size-(at-a.base))/granule*granule
	if a.size < at-a.base {
		return nil
	}
	var out []gap
	for _, b := range a.blocks {
		if b.addr > at {
			out = append(out, gap{at, b.addr - at})
		}
		at = b.addr + b.room
	}
	if end != at {
		out = append(out, gap{at, end - at})
	}
	return out
}

// fits reports whether a block fits into a gap.
func (g gap) fits(n, align uint64) bool {
	front := -g.addr & (align - 1)
	return front <= g.size && g.size-front >= n
}

func (m *model) add(slot uint32, base, size uint64) {
	m.core.Add(slot, base, size)
	m.areas[slot] = &area{base: base, size: size}
}

func (m *model) remove(slot uint32) {
	a := m.areas[slot]
	if len(a.blocks) != 0 {
		m.t.Fatalf("model: chunk %d has blocks", slot)
	}
	m.core.Remove(slot)
	delete(m.areas, slot)
	m.old = slices.DeleteFunc(m.old, func(b block) bool { return b.addr-a.base < a.size })
}

// alloc takes a block and compares what the fit promises.
func (m *model) alloc(bytes, align uint64) (block, bool) {
	m.t.Helper()
	n := roundUp(max(bytes, 1), granule)
	least := max(align, granule)
	slot, off, ok := m.core.Alloc(bytes, align)
	var all, fitting []gap
	for _, a := range m.areas {
		for _, g := range a.gaps() {
			all = append(all, g)
			if g.fits(n, least) {
				fitting = append(fitting, g)
			}
		}
	}
	if preferUsed && !ok && bytes > 0 { // a chunk may be kept for larger requests
		if fit == FirstFit {
			m.refused(n, align, m.used(all), m.used(fitting))
		}
		if m.core.Flush() {
			slot, off, ok = m.core.Alloc(bytes, align)
		}
	}
	if !ok && bytes == 0 {
		return block{}, false
	}
	if !ok {
		m.refused(n, align, all, fitting)
		return block{}, false
	}
	if bytes == 0 {
		m.t.Fatalf("a block of no bytes")
	}
	a := m.areas[slot]
	if a == nil {
		m.t.Fatalf("alloc(%d, %d): unknown chunk %d", bytes, align, slot)
	}
	b := block{addr: a.base + off, bytes: bytes, room: n, slot: slot}
	k := slices.IndexFunc(a.gaps(), func(g gap) bool { return b.addr-g.addr < g.size })
	if k < 0 || b.addr&(least-1) != 0 {
		m.t.Fatalf("alloc(%d, %d): address %#x of chunk %d is not free or not aligned", bytes, align, b.addr, slot)
	}
	g := a.gaps()[k]
	if b.addr-g.addr+n > g.size {
		m.t.Fatalf("alloc(%d, %d): %#x has no room in %v", bytes, align, b.addr, g)
	}
	if rest := g.size - (b.addr - g.addr) - n; rest < minSplit {
		b.room += rest
	}
	m.chosen(g, n, align, fitting)
	at, _ := slices.BinarySearchFunc(a.blocks, b, func(x, y block) int { return cmpAddr(x.addr, y.addr) })
	a.blocks = slices.Insert(a.blocks, at, b)
	m.live++
	m.total++
	m.bytes += bytes
	m.peak = max(m.peak, m.bytes)
	return b, true
}

func cmpAddr(x, y uint64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// chosen verifies that the gap is the one that the fit asks for. An alignment above the granule leaves the choice open.
func (m *model) chosen(g gap, n, align uint64, fitting []gap) {
	m.t.Helper()
	if align > granule {
		return
	}
	if preferUsed {
		fitting = m.used(fitting)
	}
	for _, f := range fitting {
		if better(f, g) {
			m.t.Fatalf("fit %d of %d took %v before %v", fit, n, g, f)
		}
	}
}

// used returns the gaps beside blocks: not those of empty chunks, which may be kept for large requests.
func (m *model) used(gaps []gap) []gap {
	return slices.DeleteFunc(slices.Clone(gaps), func(g gap) bool {
		for _, a := range m.areas {
			if len(a.blocks) == 0 && a.base <= g.addr && g.addr-a.base < a.size {
				return true
			}
		}
		return false
	})
}

// better reports whether the fit prefers f to g. Good fit leaves the choice open.
func better(f, g gap) bool {
	switch fit {
	case FirstFit:
		return f.addr < g.addr
	case BestFit:
		return f.size < g.size || f.size == g.size && f.addr < g.addr
	default:
		return false
	}
}

// refused verifies that a request was refused for good reason.
func (m *model) refused(n, align uint64, all, fitting []gap) {
	m.t.Helper()
	if n > maxBytes || len(fitting) == 0 {
		return
	}
	// A search with a bound may pass by a fitting range only if there are many of about the same size.
	sure := n
	if align > granule {
		sure += align - granule
	}
	near := 0
	for _, g := range all {
		if g.size >= n {
			near++
		}
	}
	exact := !goodFit && align <= granule
	if exact || near < tries {
		m.t.Fatalf("alloc(%d, %d) refused although %v fit", n, align, fitting)
	}
	for _, g := range fitting {
		if poolimpl.SizeBin(uint32(g.size/granule)) > poolimpl.SizeBin(uint32(min(sure/granule, math.MaxUint32))) {
			m.t.Fatalf("alloc(%d, %d) refused although %v is sure to fit", n, align, g)
		}
		for _, a := range m.areas {
			if len(a.blocks) == 0 && a.base <= g.addr && g.addr-a.base < a.size {
				m.t.Fatalf("alloc(%d, %d) refused although an empty chunk %v fits", n, align, g)
			}
		}
	}
}

// free gives back a live block.
func (m *model) free(b block) {
	m.t.Helper()
	a := m.areas[b.slot]
	k := slices.Index(a.blocks, b)
	a.blocks = slices.Delete(a.blocks, k, k+1)
	want := poolimpl.Freed
	if feature.Trims && len(a.blocks) == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := m.core.Free(b.addr, b.bytes); slot != b.slot || v != want {
		m.t.Fatalf("free of %+v: chunk %d, verdict %d, want %d", b, slot, v, want)
	}
	m.live--
	m.bytes -= b.bytes
	m.old = append(m.old, b)
}

// misuse tries frees that must be refused around block b.
func (m *model) misuse(b block) {
	m.t.Helper()
	for _, w := range []struct{ addr, bytes uint64 }{
		{b.addr, b.bytes + 1}, {b.addr, b.bytes - 1}, {b.addr, 0}, {b.addr, b.bytes + 1<<32}, {b.addr, b.room + granule},
		{b.addr + 1, b.bytes}, {b.addr + granule, b.bytes}, {b.addr - 1, b.bytes},
		{b.addr ^ 1<<63, b.bytes}, {b.addr + 1<<32*granule, b.bytes},
	} {
		if m.find(w.addr, w.bytes) != nil {
			continue
		}
		want := poolimpl.Foreign
		for _, a := range m.areas {
			for _, g := range a.gaps() {
				if w.addr-g.addr < g.size && w.addr%granule == 0 {
					want = poolimpl.Double
				}
			}
			if slices.ContainsFunc(a.blocks, func(p block) bool { return p.pending && p.addr == w.addr }) {
				want = poolimpl.Double
			}
		}
		if _, v := m.core.Free(w.addr, w.bytes); v != want {
			m.t.Fatalf("free(%#x, %d) near %+v: verdict %d, want %d", w.addr, w.bytes, b, v, want)
		}
	}
}

// again frees a freed block once more.
func (m *model) again(b block) {
	m.t.Helper()
	if m.find(b.addr, b.bytes) != nil {
		return // handed out again since
	}
	if _, v := m.core.Free(b.addr, b.bytes); v != poolimpl.Double && v != poolimpl.Foreign {
		m.t.Fatalf("second free of %+v: verdict %d", b, v)
	}
}

// find returns the live block with that address and length.
func (m *model) find(addr, bytes uint64) *block {
	for _, a := range m.areas {
		for i := range a.blocks {
			if b := &a.blocks[i]; b.addr == addr && b.bytes == bytes {
				return b
			}
		}
	}
	return nil
}

// pick returns some live block.
func (m *model) pick(r *rand.Rand) (block, bool) {
	if m.live == 0 {
		return block{}, false
	}
	k := r.Uint64N(m.live)
	for _, slot := range m.slots() {
		for _, b := range m.areas[slot].blocks {
			if b.pending {
				continue
			}
			if k == 0 {
				return b, true
			}
			k--
		}
	}
	return block{}, false
}

func (m *model) slots() []uint32 {
	var out []uint32
	for slot := range m.areas {
		out = append(out, slot)
	}
	slices.Sort(out)
	return out
}

// check compares the counters and verifies the structure.
func (m *model) check() {
	m.t.Helper()
	m.core.Space.check(m.t)
	u := m.core.Usage()
	var occupied, largest uint64
	free := 0
	for slot, a := range m.areas {
		var used, pending uint64
		for _, b := range a.blocks {
			used += b.room
			if b.pending {
				pending += b.room
			}
		}
		if got := m.core.Used(slot); got != used {
			m.t.Fatalf("chunk %d: used %d, want %d", slot, got, used)
		}
		occupied += used - pending
		for _, g := range a.gaps() {
			free++
			largest = max(largest, g.size)
		}
	}
	if u.Live != m.live || u.LiveBytes != m.bytes || u.Occupied != occupied {
		m.t.Fatalf("usage %+v, want live %d, bytes %d, occupied %d", u, m.live, m.bytes, occupied)
	}
	if feature.Counters && (u.Allocs != m.total || u.PeakBytes != m.peak) {
		m.t.Fatalf("usage %+v, want allocs %d, peak %d", u, m.total, m.peak)
	}
	if u.LargestFree > largest || u.LargestFree != largest && (!goodFit || free < tries) {
		m.t.Fatalf("largest free range %d, want %d", u.LargestFree, largest)
	}
	m.checkWalk()
}

// String names a block in failures.
func (b block) String() string { return fmt.Sprintf("%#x+%d in chunk %d", b.addr, b.bytes, b.slot) }
