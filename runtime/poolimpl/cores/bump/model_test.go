package bump

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// unit is the size in which the model counts; its chunks have up to 64 of them.

type span struct{ base, size uint64 }

type block struct {
	slot      uint32
	at, bytes uint64 // address and length
}

// model is what the suballocator should hold, as a list of blocks.
type model struct {
	t      *testing.T
	c      Core
	chunks map[uint32]span
	live   []block
	marks  []known
	allocs uint64
	peak   uint64
}

func (m *model) bytes() (n uint64) {
	for _, b := range m.live {
		n += b.bytes
	}
	return n
}

func (m *model) count(slot uint32) (n int) {
	for _, b := range m.live {
		if b.slot == slot {
			n++
		}
	}
	return n
}

func (m *model) add(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; !ok {
		odd := x >> 9 & 1
		s := span{base: uint64(10-slot)*64*unit + odd, size: (x>>3%64+1)*unit - 3*odd}
		m.chunks[slot] = s
		m.c.Add(slot, s.base, s.size)
	}
}

func (m *model) remove(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; ok && m.c.Used(slot) == 0 {
		m.c.Remove(slot)
		delete(m.chunks, slot)
	}
}

func (m *model) alloc(x uint64) {
	bytes, align := x%97%(20*unit)+1, uint64(1)<<(x>>8%10)
	slot, off, ok := m.c.Alloc(bytes, align)
	if !ok {
		m.refused(bytes, align)
		return
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
	m.peak = max(m.peak, m.bytes())
}

// refused holds a failure against the rule: neither an empty chunk nor the end of the current one had room.
func (m *model) refused(bytes, align uint64) {
	align = max(align, granule)
	for slot, s := range m.chunks {
		from := s.base
		if m.count(slot) > 0 {
			last := m.live[len(m.live)-1]
			if last.slot != slot {
				continue
			}
			from = last.at + last.bytes
		}
		first := (s.base + granule - 1) &^ (granule - 1)
		end := first + (s.base+s.size-first)&^(granule-1) // of the whole granules
		if at := (from + align - 1) &^ (align - 1); first < s.base+s.size && at+bytes <= end {
			m.t.Fatalf("Alloc(%d, %d) failed; chunk %d has room at %d", bytes, align, slot, at)
		}
	}
}

// cut forgets all blocks but the first n, and with them the marks made behind those.
func (m *model) cut(n int) {
	m.live = m.live[:n]
	m.kill(n)
}

func (m *model) reset(x uint64) {
	if x%4 != 0 {
		return
	}
	m.c.Reset()
	m.cut(0)
	m.kill(-1)
}

// resetPeak restarts the peak.
func (m *model) resetPeak(uint64) {
	m.c.ResetPeak()
	m.peak = m.bytes()
}

func (m *model) check() {
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
	if got != want || got.Occupied < got.LiveBytes {
		m.t.Fatalf("Usage = %+v, want %+v", got, want)
	}
	m.checkLargest(got.LargestFree)
	m.checkWalk()
}

// checkLargest tries the largest request that is said to succeed, and one byte more.
func (m *model) checkLargest(n uint64) {
	if probe := m.probe(); n < 1<<63 {
		if _, _, ok := probe.Alloc(n+1, 1); ok {
			m.t.Fatalf("LargestFree = %d, and one byte more succeeds", n)
		}
	}
	if n == 0 {
		return
	}
	probe := m.probe()
	if _, _, ok := probe.Alloc(n, 1); !ok {
		m.t.Fatalf("LargestFree = %d, and fails", n)
	}
}

// probe is a copy to try things on.
func (m *model) probe() Core {
	c := m.c
	c.row = append([]uint32(nil), c.row...)
	c.chunks = append([]chunk(nil), c.chunks...)
	return c
}

// run interprets each triple of bytes as an operation and its argument.
func run(t *testing.T, ops []byte) {
	m := &model{t: t, c: newCore(), chunks: map[uint32]span{}}
	table := []func(uint64){m.alloc, m.alloc, m.alloc, m.alloc, m.alloc, m.add, m.remove, m.reset, m.mark, m.release, m.resetPeak}
	for ; len(ops) > 2; ops = ops[3:] {
		table[int(ops[0])%len(table)](uint64(ops[1])<<8 | uint64(ops[2]))
		m.check()
		m.checkMark()
	}
}

// FuzzOps compares any sequence of operations with the model.
func FuzzOps(f *testing.F) {
	f.Add([]byte{5, 0, 0xf0, 0, 0, 9, 8, 0, 0, 0, 3, 9, 9, 0, 0, 7, 0, 0, 9, 0, 0})
	f.Add([]byte{5, 0, 1, 5, 0, 0xfa, 0, 0, 90, 0, 0, 3, 6, 0, 1, 8, 0, 0, 0, 1, 1, 9, 0, 0})
	f.Fuzz(run)
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ops := make([]byte, 60000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops)
}
