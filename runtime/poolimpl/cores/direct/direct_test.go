package direct

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// region is a chunk as the model knows it.
type region struct {
	base, size uint64
	bytes      uint64 // of its block; 0: unused
	pending    bool
}

type model struct {
	t      *testing.T
	c      Core
	chunks map[uint32]*region
	freed  map[uint64]bool // addresses that were ever freed
	allocs uint64
	peak   uint64
}

func (m *model) pick(x uint64) uint32 { return uint32(x % 40) }

// add makes a chunk that touches its neighbours, or leaves a gap.
func (m *model) add(x uint64) {
	slot := m.pick(x)
	if m.chunks[slot] == nil {
		r := &region{base: uint64(99-slot) << 12, size: 1<<12 - x>>8&1*100}
		m.chunks[slot] = r
		m.c.Add(slot, r.base, r.size)
	}
}

func (m *model) remove(x uint64) {
	slot := m.pick(x)
	if r := m.chunks[slot]; r != nil && m.c.Used(slot) == 0 {
		m.c.Remove(slot)
		delete(m.chunks, slot)
	}
}

func (m *model) alloc(x uint64) {
	bytes, align := x%4200+1, uint64(1)<<(x>>10%15)
	could := false
	for _, r := range m.chunks {
		could = could || r.bytes == 0 && r.size >= bytes && r.base%align == 0
	}
	slot, off, ok := m.c.Alloc(bytes, align)
	if ok != could {
		m.t.Fatalf("Alloc(%d, %d) = %v", bytes, align, ok)
	}
	if !ok {
		return
	}
	r := m.chunks[slot]
	if off != 0 || r.bytes != 0 || r.size < bytes || r.base%align != 0 {
		m.t.Fatalf("Alloc(%d, %d) = %d in chunk %d, %+v", bytes, align, off, slot, r)
	}
	r.bytes = bytes
	m.allocs++
	m.peak = max(m.peak, m.want().LiveBytes)
}

// free frees the block of a chunk, or what is none.
func (m *model) free(x uint64) {
	slot := m.pick(x)
	addr, bytes, want := uint64(99-slot)<<12, uint64(1), poolimpl.Foreign
	if r := m.chunks[slot]; r != nil {
		switch bytes = r.bytes; {
		case r.pending:
			bytes += x >> 8 & 1
			want = poolimpl.Double
		case bytes == 0:
			want = poolimpl.Double
		case x>>8&7 == 0:
			bytes++
		case x>>8&7 == 1:
			addr++
		case x>>8&7 == 2:
			bytes--
		default:
			want, r.bytes = poolimpl.Emptied, 0
		}
	}
	got, v := m.c.Free(addr, bytes)
	if v == poolimpl.Double && want == poolimpl.Foreign && m.chunks[slot] == nil && m.freed[addr] {
		return // it is remembered, which may be or not
	}
	if v == poolimpl.Emptied {
		m.freed[addr] = true
	}
	if v != want || v == poolimpl.Emptied && got != slot {
		m.t.Fatalf("Free(%#x, %d) = %d, %d; want %d, %d", addr, bytes, got, v, slot, want)
	}
}

func (m *model) want() (u poolimpl.Usage) {
	for _, r := range m.chunks {
		if r.bytes == 0 {
			u.LargestFree = max(u.LargestFree, r.size)
			continue
		}
		if r.pending {
			continue
		}
		u.Live++
		u.LiveBytes += r.bytes
		u.Occupied += r.size
	}
	if m.c.params.Counters {
		u.Allocs, u.PeakBytes = m.allocs, m.peak
	}
	return u
}

func (m *model) check() {
	if got, want := m.c.Usage(), m.want(); got != want {
		m.t.Fatalf("Usage = %+v, want %+v", got, want)
	}
	if m.c.table.count != len(m.chunks) {
		m.t.Fatalf("%d chunks in the table, want %d", m.c.table.count, len(m.chunks))
	}
	for slot, r := range m.chunks {
		if used := m.c.Used(slot); used != 0 && used != r.size || (used == 0) != (r.bytes == 0) {
			m.t.Fatalf("Used(%d) = %d, %+v", slot, used, r)
		}
	}
	for i, slot := range m.c.unused {
		if ch := m.c.chunks[slot]; ch.place != uint32(i) || ch.bytes != 0 {
			m.t.Fatalf("unused chunk %d: %+v", slot, ch)
		}
	}
	m.checkWalk()
}

// run interprets each triple of bytes as an operation and its argument, for a core that counts and for one that does not. There may be more operations
// than every pool has.
func run(t *testing.T, ops []byte, more ...func(*model, uint64)) {
	for _, counts := range []bool{true, false} {
		runWith(t, Params{Counters: counts}, ops, more)
	}
}

func runWith(t *testing.T, p Params, ops []byte, more []func(*model, uint64)) {
	m := &model{t: t, chunks: map[uint32]*region{}, freed: map[uint64]bool{}}
	m.c.Set(&p)
	table := []func(uint64){m.add, m.add, m.alloc, m.alloc, m.free, m.free, m.remove}
	for _, op := range more {
		table = append(table, func(x uint64) { op(m, x) })
	}
	for ; len(ops) > 2; ops = ops[3:] {
		table[int(ops[0])%len(table)](uint64(ops[1])<<8 | uint64(ops[2]))
		m.check()
	}
}

// FuzzOps compares any sequence of operations with the model.
func FuzzOps(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 0, 9, 4, 9, 1, 4, 0, 1, 6, 0, 1})
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops) })
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	ops := make([]byte, 60000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
	}
	run(t, ops)
}

func TestZeroValue(t *testing.T) {
	var c Core
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("Alloc without a chunk")
	}
	if _, v := c.Free(0, 1); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("Usage = %+v", u)
	}
}

// TestHuge: sizes up to 2^63, at the end of the address space.
func TestHuge(t *testing.T) {
	var c Core
	c.Add(0, 1<<63, 1<<63)
	if _, _, ok := c.Alloc(0, 1); ok {
		t.Error("no bytes")
	}
	if _, _, ok := c.Alloc(1<<63+1, 1); ok {
		t.Error("more than the chunk")
	}
	if slot, off, ok := c.Alloc(c.Need(1<<63, 1), 1<<63); !ok || slot != 0 || off != 0 {
		t.Errorf("%d, %d, %v", slot, off, ok)
	}
	if _, v := c.Free(1<<63, 1<<63); v != poolimpl.Emptied {
		t.Errorf("Free = %d", v)
	}
}

// TestEachChunkCounts: counts are right although nothing is cut.
func TestEachChunkCounts(t *testing.T) {
	var c Core
	for i := range uint32(1000) {
		c.Add(i, uint64(i)<<21, 1<<21)
		if slot, _, ok := c.Alloc(1<<20+uint64(i), 1<<21); !ok || slot != i {
			t.Fatalf("block %d: chunk %d, %v", i, slot, ok)
		}
	}
	if u := c.Usage(); u.Live != 1000 || u.LiveBytes != 1000<<20+999*500 || u.Occupied != 1000<<21 || u.LargestFree != 0 {
		t.Errorf("%+v", u)
	}
	for i := range uint32(1000) {
		if slot, v := c.Free(uint64(i)<<21, 1<<20+uint64(i)); slot != i || v != poolimpl.Emptied {
			t.Fatalf("block %d: %d, %d", i, slot, v)
		}
		c.Remove(i)
	}
	if u := c.Usage(); u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 {
		t.Errorf("%+v", u)
	}
}

func TestNoGarbage(t *testing.T) {
	var c Core
	c.Add(0, 1<<20, 1<<20)
	if n := testing.AllocsPerRun(100, func() {
		c.Alloc(5, 1)
		c.Free(1<<20, 5)
		c.Remove(0)
		c.Add(0, 1<<20, 1<<20)
	}); n != 0 {
		t.Errorf("%v allocations a pair", n)
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for range b.N {
		n.Add(1)
	}
}

// BenchmarkPair is one block: chunk added, block taken and freed, chunk removed, while n others are live.
func BenchmarkPair(b *testing.B) {
	for _, n := range []uint32{1, 1000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var c Core
			for i := range n {
				c.Add(i, uint64(i+1)<<21, 1<<21)
				c.Alloc(1<<21, 1)
			}
			b.ResetTimer()
			for i := range b.N {
				slot := uint32(i*7919) % n
				base := uint64(slot+1) << 21
				c.Free(base, 1<<21)
				c.Remove(slot)
				c.Add(slot, base, 1<<21)
				c.Alloc(1<<21, 1)
			}
		})
	}
}
