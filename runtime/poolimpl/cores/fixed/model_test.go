package fixed

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// model is what the suballocator should hold, in maps.
type model struct {
	t       *testing.T
	p       Params
	c       *Core
	chunks  map[uint32]extent
	live    map[uint64]uint32 // address to slot
	pending []piece
	retired []uint64          // addresses of blocks whose lives are used up
	lives   map[uint64]uint32 // block number to the life that it is in, in pools with handles
	order   []uint64          // addresses in live, for picking one
	allocs  uint64
	peak    uint64
}

type extent struct{ base, size uint64 }

type piece struct {
	addr uint64
	slot uint32
}

// cell is the room between the starts of neighbouring chunks; a chunk of 16 blocks fills it.
func (m *model) cell() uint64 { return 16 * m.p.BlockSize }

// left returns how many blocks the next requests can get.
func (m *model) left() uint64 {
	return m.capacity() - uint64(len(m.live)+len(m.pending)+len(m.retired))
}

func (m *model) used(slot uint32) (n uint64) {
	for _, s := range m.live {
		if s == slot {
			n++
		}
	}
	for _, p := range m.pending {
		if p.slot == slot {
			n++
		}
	}
	return n + uint64(len(m.retired)) // the pool has one chunk, if some are
}

// add makes a chunk that starts at a m.cell(): whole, smaller, or with a rest that holds no block.
func (m *model) add(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; ok || !m.p.several() && slot > 0 {
		return
	}
	s := extent{base: m.first() + uint64(4-slot)*m.cell(), size: m.cell()}
	if x>>3&1 != 0 {
		s.size = x>>4%16*m.p.BlockSize + min(x>>4%3, m.p.BlockSize-1)
	}
	m.chunks[slot] = s
	m.c.Add(slot, s.base, s.size)
}

func (m *model) remove(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; ok && m.used(slot) == 0 {
		m.c.Remove(slot)
		delete(m.chunks, slot)
	}
}

func (m *model) capacity() (n uint64) {
	for _, s := range m.chunks {
		n += s.size / m.p.BlockSize
	}
	return n
}

func (m *model) alloc(x uint64) {
	var slot uint32
	var off uint64
	var ok bool
	if x&1 == 0 {
		slot, off, ok = m.c.Alloc(m.p.ItemBytes, 1)
		if want := m.left() > 0; ok != want {
			m.t.Fatalf("Alloc ok = %v with %d of %d live", ok, len(m.live), m.capacity())
		}
	} else if slot, off, ok = m.c.AllocFast(); ok && m.left() == 0 {
		m.t.Fatal("AllocFast took a block too many")
	}
	if ok {
		if x&1 != 0 {
			slot, off = m.place(slot, off)
		}
		m.enter(slot, off)
		m.allocs++
	}
}

// first is the lowest address of a chunk. If there is a range, it begins there, has the slot rangeSlot, and room for all chunks but the highest.
func (m *model) first() uint64 { return 1 << 20 * m.p.BlockSize }

const rangeSlot = 7

// place returns the chunk of a block at hand, and its offset there.
func (m *model) place(slot uint32, off uint64) (uint32, uint64) {
	addr := m.chunks[slot].base + off
	if slot == rangeSlot {
		addr = m.first() + off
	}
	for slot, s := range m.chunks {
		if addr-s.base < s.size {
			return slot, addr - s.base
		}
	}
	m.t.Fatalf("block %#x is in no chunk", addr)
	return 0, 0
}

// replace replaces live blocks one by one.
func (m *model) replace(x uint64) {
	for i := range x / 8 {
		before := m.allocs
		m.free(x + i*11)
		if m.alloc(1); m.allocs == before {
			m.alloc(0)
		}
	}
}

// enter notes a block that was handed out.
func (m *model) enter(slot uint32, off uint64) {
	s := m.chunks[slot]
	if off%m.p.BlockSize != 0 || off+m.p.BlockSize > s.size {
		m.t.Fatalf("block at %d in a chunk of %d", off, s.size)
	}
	if _, ok := m.live[s.base+off]; ok {
		m.t.Fatalf("block at %d in chunk %d handed out twice", off, slot)
	}
	for _, p := range m.pending {
		if p.addr == s.base+off {
			m.t.Fatalf("block at %d in chunk %d handed out while it was pending", off, slot)
		}
	}
	m.live[s.base+off] = slot
	m.order = append(m.order, s.base+off)
	m.peak = max(m.peak, uint64(len(m.live)))
}

// allocFromList takes up to so many blocks the way a batch does.
func (m *model) allocFromList(n int) (allocated int) {
	for {
		slot, list := m.c.freeList()
		first := allocated
		for allocated < n {
			off, ok := list.pop()
			if !ok {
				break
			}
			m.enter(m.place(slot, off))
			allocated++
		}
		m.c.TookFrom(list.head, uint64(allocated-first))
		if allocated == n || !m.c.Refill(uint64(n-allocated)) {
			break
		}
	}
	if allocated < n && m.left() > 0 {
		m.t.Fatalf("%d blocks of %d with %d of %d live", allocated, n, len(m.live), m.capacity())
	}
	return allocated
}

func (m *model) allocMany(x uint64) { m.allocs += uint64(m.allocFromList(int(x % 40))) }

// failMany is a batch that fails after it has got some blocks. Only the peak may tell.
func (m *model) failMany(x uint64) {
	for range m.allocFromList(int(x % 40)) {
		m.giveBack(len(m.order)-1, m.c.Undo)
	}
}

// freeMany gives blocks back the way a batch does: those of the current chunk, up to the last.
func (m *model) freeMany(x uint64) {
	base, list := m.c.nearList()
	n := 0
	for _, addr := range m.order[:m.c.MaxFrees(min(int(x%8), len(m.order)))] {
		if !list.push(addr - base) {
			break
		}
		n++
	}
	m.c.PutOn(list.head, uint64(n))
	for _, addr := range m.order[:n] {
		delete(m.live, addr)
		m.endLife(addr)
	}
	m.order = m.order[n:]
}

func (m *model) free(x uint64) {
	if len(m.order) > 0 {
		m.giveBack(int(x%uint64(len(m.order))), m.c.free)
	}
}

// freeRun frees some blocks that follow each other in their chunk, so that the fast path serves most of them.
func (m *model) freeRun(x uint64) {
	if len(m.order) == 0 {
		return
	}
	addr := m.order[x>>3%uint64(len(m.order))]
	for range x % 8 {
		i := slices.Index(m.order, addr)
		if i < 0 {
			return
		}
		m.giveBack(i, m.c.free)
		addr += m.p.BlockSize
	}
}

// giveBack frees the i-th block by Free or Undo.
func (m *model) giveBack(i int, free func(addr, bytes uint64) (uint32, poolimpl.Verdict)) {
	last := len(m.order) - 1
	addr := m.order[i]
	m.order[i] = m.order[last]
	m.order = m.order[:last]
	want := m.live[addr]
	delete(m.live, addr)
	m.endLife(addr)
	if v := m.c.Lookup(addr, m.p.ItemBytes); v != poolimpl.Freed {
		m.t.Fatalf("Lookup of a live block = %d", v)
	}
	slot, v := free(addr, m.p.ItemBytes)
	wantV := poolimpl.Freed
	if m.p.Trims && m.used(want) == 0 {
		wantV = poolimpl.Emptied
	}
	if slot != want || v != wantV {
		m.t.Fatalf("Free = %d, %d; want %d, %d", slot, v, want, wantV)
	}
}

// misuse frees an address near the chunks that is no live block.
func (m *model) misuse(x uint64) {
	addr, want, dead := m.dead(x)
	if !dead {
		return
	}
	if m.c.FreeFast(addr) {
		m.t.Fatal("FreeFast of a dead block")
	}
	if v := m.c.Lookup(addr, m.p.ItemBytes); v != want {
		m.t.Fatalf("Lookup of a dead block = %d; want %d", v, want)
	}
	if _, v := m.c.Free(addr, m.p.ItemBytes); v != want {
		m.t.Fatalf("Free of a dead block = %d; want %d", v, want)
	}
}

// dead returns an address near the chunks, the verdict on a free of it, and whether no live block starts there.
func (m *model) dead(x uint64) (addr uint64, want poolimpl.Verdict, dead bool) {
	addr = m.first() + x%(6*m.cell()) - m.cell()/2
	_, live := m.live[addr]
	for _, s := range m.chunks {
		if off := addr - s.base; off < s.size && off%m.p.BlockSize == 0 && off/m.p.BlockSize < s.size/m.p.BlockSize {
			return addr, poolimpl.Double, !live
		}
	}
	return addr, poolimpl.Foreign, true
}

// resetPeak restarts the peak.
func (m *model) resetPeak(x uint64) {
	if x%4 == 0 {
		m.c.ResetPeak()
		m.peak = uint64(len(m.live))
	}
}

func (m *model) check() {
	m.c.check(m.t, uint64(len(m.pending)))
	for slot := range m.chunks {
		if m.p.Ranged && m.allocs%4 > 0 {
			break // Used would sort out what is at hand
		}
		if got, want := m.c.Used(slot), m.used(slot)*m.p.BlockSize; got != want {
			m.t.Fatalf("Used(%d) = %d, want %d", slot, got, want)
		}
	}
	n := uint64(len(m.live))
	want := poolimpl.Usage{Live: n, LiveBytes: n * m.p.ItemBytes, Occupied: n * m.p.BlockSize, Retired: uint64(len(m.retired))}
	if m.p.Counters {
		want.Allocs, want.PeakBytes = m.allocs, m.peak*m.p.ItemBytes
	}
	if m.left() > 0 {
		want.LargestFree = m.p.ItemBytes
	}
	if got := m.c.Usage(); got != want {
		m.t.Fatalf("Usage = %+v, want %+v", got, want)
	}
	if (m.allocs+uint64(len(m.live)))%4 == 0 {
		m.checkWalk()
	}
}

// run interprets each pair of bytes as an operation and its argument. There may be more operations than every pool has.
func run(t *testing.T, p Params, ops []byte, more ...func(*model, uint64)) {
	m := &model{t: t, p: p, c: newCore(p), chunks: map[uint32]extent{}, live: map[uint64]uint32{}, lives: map[uint64]uint32{}}
	if p.Ranged {
		m.c.Range(rangeSlot, m.first(), m.cell(), make([]uint32, 4*m.cell()/p.BlockSize))
	}
	table := []func(uint64){
		m.alloc, m.alloc, m.alloc, m.free, m.free, m.misuse, m.add, m.remove,
		m.alloc, m.alloc, m.free, m.free, m.freeRun, m.allocMany, m.freeMany, m.failMany, m.replace, m.resetPeak,
	}
	for _, op := range more {
		table = append(table, func(x uint64) { op(m, x) })
	}
	for ; len(ops) > 1; ops = ops[2:] {
		table[int(ops[0])%len(table)](uint64(ops[0]>>4)<<8 | uint64(ops[1]))
		m.check()
	}
}

// FuzzOps compares any sequence of operations with the model, all counters and verdicts included.
func FuzzOps(f *testing.F) {
	f.Add([]byte{6, 0, 0, 0, 0, 0, 3, 0, 3, 0, 7, 0})
	f.Add([]byte{6, 1, 6, 2, 6, 3, 0, 0, 1, 1, 5, 9, 3, 0, 7, 1})
	f.Fuzz(func(t *testing.T, ops []byte) {
		each(t, func(t *testing.T, p Params) { run(t, p, ops) })
	})
}

func TestRandom(t *testing.T) {
	each(t, func(t *testing.T, p Params) { run(t, p, script(3)) })
}

// script returns random operations.
func script(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	ops := make([]byte, 12000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
		if i > len(ops)/2 && i%2 == 0 && ops[i]%16 == 7 { // fuller in the second half
			ops[i]--
		}
	}
	return ops
}
