package strips

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

type extent struct{ base, size uint64 }

type block struct {
	slot      uint32
	at, bytes uint64 // address and length
}

// model is what the suballocator should hold, as a list of blocks.
type model struct {
	t         *testing.T
	c         *Core
	procStrip int
	chunks    map[uint32]extent
	live      []block
	bytes     uint64
	allocs    uint64
	peak      uint64
}

const procStrips = 4

func (m *model) add(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; !ok {
		odd := x >> 9 & 1
		s := extent{base: uint64(10-slot) << 32 * granule >> 4 &^ (granule - 1), size: (x>>3%512+1)*granule - odd*min(3, granule-1)}
		s.base += odd
		m.chunks[slot] = s
		m.c.Add(slot, s.base, s.size)
	}
}

func (m *model) remove(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; !ok {
		return
	}
	if m.c.Evict(slot) {
		if m.count(slot) > 0 {
			m.t.Fatalf("chunk %d was removed with %d blocks", slot, m.count(slot))
		}
		delete(m.chunks, slot)
	} else if m.count(slot) == 0 {
		m.t.Fatalf("chunk %d stays without blocks", slot)
	}
}

func (m *model) count(slot uint32) (n int) {
	for _, b := range m.live {
		if b.slot == slot {
			n++
		}
	}
	return n
}

// small and large allocate; another lets it happen on another processor.
func (m *model) small(x uint64)   { m.alloc(x%31+1, 1) }
func (m *model) large(x uint64)   { m.alloc(x%(90*granule)+1, 1) }
func (m *model) aligned(x uint64) { m.alloc(x%97+1, uint64(1)<<(x>>8%14)) }
func (m *model) another(x uint64) { m.procStrip = int(x % procStrips) }

func (m *model) alloc(bytes, align uint64) {
	free := m.c.Usage().LargestFree
	slot, off, ok := m.c.from(m.procStrip, bytes, align)
	if !ok {
		if bytes+align-1 <= free {
			m.t.Fatalf("Alloc(%d, %d) failed, LargestFree is %d", bytes, align, free)
		}
		return
	}
	if bytes > free {
		m.t.Fatalf("Alloc(%d, %d) succeeded, LargestFree was %d", bytes, align, free)
	}
	s := m.chunks[slot]
	b := block{slot: slot, at: s.base + off, bytes: bytes}
	if b.at%align != 0 || b.at%granule != 0 || off+bytes > s.size {
		m.t.Fatalf("Alloc(%d, %d) = %d in a chunk of %d at %d", bytes, align, off, s.size, s.base)
	}
	for _, o := range m.live {
		if b.at < o.at+o.bytes && o.at < b.at+b.bytes {
			m.t.Fatalf("%+v overlaps %+v", b, o)
		}
	}
	m.live = append(m.live, b)
	m.allocs++
	m.bytes += bytes
	m.peak = max(m.peak, m.bytes)
}

// largest takes the largest block that is said to succeed.
func (m *model) largest(x uint64) {
	if n := m.c.Usage().LargestFree; n > 0 && x%8 == 0 {
		before := len(m.live)
		if m.alloc(n, 1); len(m.live) == before {
			m.t.Fatalf("LargestFree = %d, and fails", n)
		}
	}
}

func (m *model) reset(x uint64) {
	if x%16 == 0 {
		m.c.Reset()
		m.live, m.bytes = nil, 0
	}
}

// resetPeak restarts the peak.
func (m *model) resetPeak(uint64) {
	m.c.ResetPeak()
	m.peak = m.bytes
}

func (m *model) check() {
	want := poolimpl.Usage{Live: uint64(len(m.live)), LiveBytes: m.bytes}
	if feature.Counters {
		want.Allocs, want.PeakBytes = m.allocs, m.peak
	}
	room := uint64(0)
	for slot, s := range m.chunks {
		used := m.c.Used(slot)
		if (used == 0) != (m.count(slot) == 0) || used > s.size {
			m.t.Fatalf("Used(%d) = %d with %d blocks in %d bytes", slot, used, m.count(slot), s.size)
		}
		room += used
	}
	got := m.c.Usage()
	want.Occupied, want.LargestFree = got.Occupied, got.LargestFree
	if got != want || got.Occupied < got.LiveBytes || got.Occupied > room {
		m.t.Fatalf("Usage = %+v, want %+v, in chunks used up to %d", got, want, room)
	}
	m.checkWalk()
}

// run interprets each triple of bytes as an operation and its argument.
func run(t *testing.T, ops []byte) {
	m := &model{t: t, c: with(procStrips), chunks: map[uint32]extent{}}
	table := []func(uint64){m.small, m.small, m.small, m.large, m.aligned, m.another, m.another, m.largest, m.add, m.remove, m.reset, m.resetPeak}
	for ; len(ops) > 2; ops = ops[3:] {
		table[int(ops[0])%len(table)](uint64(ops[1])<<8 | uint64(ops[2]))
		m.check()
	}
}

// FuzzOps compares any sequence of operations with the model.
func FuzzOps(f *testing.F) {
	f.Add([]byte{8, 0, 0xf0, 0, 0, 9, 5, 0, 2, 0, 0, 3, 3, 9, 0, 10, 0, 0, 0, 0, 0})
	f.Add([]byte{8, 15, 1, 8, 2, 0xfa, 3, 0, 90, 4, 12, 3, 9, 0, 1, 7, 0, 0, 5, 1, 1, 0, 0, 0, 7, 0, 0})
	f.Fuzz(run)
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ops := make([]byte, 30000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops)
}
