package ring

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

type span struct{ base, size uint64 }

type piece struct {
	slot      uint32
	at, bytes uint64 // address and length
}

// model is what the suballocator should hold, as a list of blocks by age.
type model struct {
	t       *testing.T
	c       *Core
	chunks  map[uint32]span
	live    []piece
	pending []piece
	dead    []piece // freed some time ago
	allocs  uint64
	peak    uint64
}

func (m *model) bytes() (n uint64) {
	for _, b := range m.live {
		n += b.bytes
	}
	return n
}

func (m *model) count(slot uint32) (n int) {
	for _, b := range slices.Concat(m.live, m.pending) {
		if b.slot == slot {
			n++
		}
	}
	return n
}

// add makes a chunk of up to three arenas and a rest; those with even slots touch their neighbour.
func (m *model) add(x uint64) {
	slot := uint32(x % 4)
	if _, ok := m.chunks[slot]; ok {
		return
	}
	s := span{base: uint64(8-slot) * 4 * arenaSize, size: 4 * arenaSize}
	if x>>2&1 == 1 {
		odd := x >> 7 & 1
		s.size = min(x>>3%17*arenaSize/5+x>>3%3, 4*arenaSize-odd)
		s.base += odd
	}
	m.chunks[slot] = s
	m.c.Add(slot, s.base, s.size)
}

func (m *model) remove(x uint64) {
	slot := uint32(x % 4)
	if _, ok := m.chunks[slot]; ok && m.c.Used(slot) == 0 {
		m.c.Remove(slot)
		delete(m.chunks, slot)
	}
}

func (m *model) alloc(x uint64) {
	bytes, align := x%max(arenaSize/8, 1)+1, uint64(1)
	switch x >> 12 % 8 {
	case 0:
		bytes = (x&0xfff + 1) * arenaSize >> 12
	case 1:
		align = 1 << (x % 12)
	}
	could := m.c.couldServe(bytes, align)
	slot, off, ok := m.c.Alloc(bytes, align)
	if ok != could {
		m.t.Fatalf("Alloc(%d, %d) = %v", bytes, align, ok)
	}
	if !ok {
		return
	}
	s := m.chunks[slot]
	b := piece{slot, s.base + off, bytes}
	if b.at%align != 0 || b.at%granule != 0 || off+bytes > s.size {
		m.t.Fatalf("Alloc(%d, %d) = %d in a chunk of %d at %d", bytes, align, off, s.size, s.base)
	}
	for _, o := range slices.Concat(m.live, m.pending) {
		if b.at < o.at+o.bytes && o.at < b.at+b.bytes {
			m.t.Fatalf("%+v overlaps %+v", b, o)
		}
	}
	m.live = append(m.live, b)
	m.allocs++
	m.peak = max(m.peak, m.bytes())
}

// free frees one of the older blocks as a rule, now and then any.
func (m *model) free(x uint64) {
	if len(m.live) == 0 {
		return
	}
	i := x % uint64(len(m.live))
	if x>>8&3 != 0 {
		i = x % min(4, uint64(len(m.live)))
	}
	b := m.live[i]
	m.live = append(m.live[:i], m.live[i+1:]...)
	m.dead = append(m.dead, b)
	slot, v := m.c.Free(b.at, b.bytes)
	want := poolimpl.Freed
	if feature.Trims && m.count(b.slot) == 0 {
		want = poolimpl.Emptied
	}
	if slot != b.slot || v != want {
		m.t.Fatalf("Free(%+v) = %d, %d; want %d", b, slot, v, want)
	}
}

// misuse frees what is no live block: freed before, of another length, inside one, anywhere.
func (m *model) misuse(x uint64) {
	b := piece{at: x * arenaSize / 64, bytes: x % 100}
	switch n := uint64(len(m.live)); {
	case x&3 == 0 && len(m.dead) > 0:
		b = m.dead[x>>2%uint64(len(m.dead))]
	case x&3 == 1 && n > 0:
		b = m.live[x>>2%n]
		b.bytes += x>>2%3 - 1
	case x&3 == 2 && n > 0:
		b = m.live[x>>2%n]
		b.at += x>>2%3 - 1
	}
	for _, o := range m.live {
		if o.at == b.at && o.bytes == b.bytes {
			return
		}
	}
	if _, v := m.c.Free(b.at, b.bytes); v != poolimpl.Foreign && v != poolimpl.Double {
		m.t.Fatalf("Free(%+v) = %d", b, v)
	}
}

// resetPeak restarts the peak.
func (m *model) resetPeak(uint64) {
	m.c.ResetPeak()
	m.peak = m.bytes()
}

func (m *model) check() {
	m.c.check(m.t)
	want := poolimpl.Usage{Live: uint64(len(m.live)), LiveBytes: m.bytes()}
	if feature.Counters {
		want.Allocs, want.PeakBytes = m.allocs, m.peak
	}
	for slot, s := range m.chunks {
		used := m.c.Used(slot)
		if (used == 0) != (m.count(slot) == 0) || used > s.size {
			m.t.Fatalf("Used(%d) = %d with %d blocks in %d bytes", slot, used, m.count(slot), s.size)
		}
		want.Occupied += used
	}
	got := m.c.Usage()
	want.LargestFree = got.LargestFree
	for _, b := range m.pending {
		want.Occupied -= (b.bytes + granule - 1) &^ (granule - 1)
	}
	if got != want || got.Occupied < got.LiveBytes {
		m.t.Fatalf("Usage = %+v, want %+v", got, want)
	}
	if n := got.LargestFree; m.c.couldServe(n+1, 1) || n > 0 && !m.c.couldServe(n, 1) {
		m.t.Fatalf("LargestFree = %d", n)
	}
	if (m.allocs+uint64(len(m.live)))%4 == 0 {
		m.checkWalk()
	}
}

// run interprets each triple of bytes as an operation and its argument. There may be more operations than every pool has.
func run(t *testing.T, ops []byte, more ...func(*model, uint64)) {
	m := &model{t: t, c: newCore(), chunks: map[uint32]span{}}
	table := []func(uint64){m.alloc, m.alloc, m.alloc, m.alloc, m.free, m.free, m.free, m.free, m.misuse, m.add, m.remove, m.resetPeak}
	for _, op := range more {
		table = append(table, func(x uint64) { op(m, x) })
	}
	for ; len(ops) > 2; ops = ops[3:] {
		table[int(ops[0])%len(table)](uint64(ops[1])<<8 | uint64(ops[2]))
		m.check()
		if len(m.dead) > 20 {
			m.dead = m.dead[10:]
		}
	}
}

// FuzzOps compares any sequence of operations with the model.
func FuzzOps(f *testing.F) {
	f.Add([]byte{9, 0, 4, 0, 0, 9, 0, 5, 0, 4, 0, 1, 8, 0, 0, 4, 0, 0, 8, 0, 4, 10, 0, 4})
	f.Add([]byte{9, 0, 0, 0, 0xff, 0xff, 0, 0x10, 0, 0, 0x0f, 0xff, 4, 0, 0, 0, 0, 0xff})
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops) })
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	ops := make([]byte, 90000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops)
}
