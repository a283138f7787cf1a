package fixed

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// cell is the room between the starts of neighbouring chunks in the model; a chunk of 16 blocks fills it.
const cell = 16 * blockSize

// model is what the suballocator should hold, in maps.
type model struct {
	t       *testing.T
	c       Core
	chunks  map[uint32]span
	live    map[uint64]uint32 // address to slot
	pending []piece
	loose   bool     // the peak may be higher than the template knows with its defaults, since blocks were pending
	order   []uint64 // addresses in live, for picking one
	allocs  uint64
	peak    uint64
}

type span struct{ base, size uint64 }

type piece struct {
	addr uint64
	slot uint32
}

// left returns how many blocks the next requests can get.
func (m *model) left() uint64 { return m.capacity() - uint64(len(m.live)+len(m.pending)) }

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
	return n
}

// add makes a chunk that starts at a cell: whole, smaller, or with a rest that holds no block.
func (m *model) add(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; ok || single && slot > 0 {
		return
	}
	s := span{base: 1<<20*blockSize + uint64(4-slot)*cell, size: cell}
	if x>>3&1 != 0 {
		s.size = x>>4%16*blockSize + min(x>>4%3, blockSize-1)
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
		n += s.size / blockSize
	}
	return n
}

func (m *model) alloc(x uint64) {
	var slot uint32
	var off uint64
	var ok bool
	if x&1 == 0 {
		slot, off, ok = m.c.Alloc(itemBytes, 1)
		if want := m.left() > 0; ok != want {
			m.t.Fatalf("Alloc ok = %v with %d of %d live", ok, len(m.live), m.capacity())
		}
	} else if slot, off, ok = m.c.AllocFast(); ok && m.left() == 0 {
		m.t.Fatal("AllocFast took a block too many")
	}
	if ok {
		if joins {
			if x&1 != 0 {
				slot, off = m.place(slot, off)
			}
		}
		m.enter(slot, off)
		m.allocs++
	}
}

// place returns the chunk of a block that AllocFast handed out, and its offset there: AllocFast may count the offset from the start of another chunk.
//
//poolgen:if joins
func (m *model) place(slot uint32, off uint64) (uint32, uint64) {
	addr := m.chunks[slot].base + off
	for slot, s := range m.chunks {
		if addr-s.base < s.size {
			return slot, addr - s.base
		}
	}
	m.t.Fatalf("block %#x is in no chunk", addr)
	return 0, 0
}

// replace replaces live blocks one by one, as often as it takes for entries to be joined.
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
	if off%blockSize != 0 || off+blockSize > s.size {
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
		slot, _, list := m.c.FreeList()
		first := allocated
		for allocated < n {
			rest, off, ok := list.Pop()
			if !ok {
				break
			}
			list = rest
			m.enter(slot, off)
			allocated++
		}
		m.c.Allocated(list, uint64(allocated-first))
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
	_, base, list := m.c.FreeList()
	n := 0
	for _, addr := range m.order[:m.c.MaxFrees(min(int(x%8), len(m.order)))] {
		longer, ok := list.Push(addr - base)
		if !ok {
			break
		}
		list = longer
		n++
	}
	m.c.Freed(list, uint64(n))
	for _, addr := range m.order[:n] {
		delete(m.live, addr)
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
		addr += blockSize
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
	slot, v := free(addr, itemBytes)
	wantV := poolimpl.Freed
	if feature.Trims && m.used(want) == 0 {
		wantV = poolimpl.Emptied
	}
	if slot != want || v != wantV {
		m.t.Fatalf("Free = %d, %d; want %d, %d", slot, v, want, wantV)
	}
}

// misuse frees an address near the chunks that is no live block.
func (m *model) misuse(x uint64) {
	addr := 1<<20*blockSize + x%(6*cell) - cell/2
	if _, ok := m.live[addr]; ok {
		return
	}
	want := poolimpl.Foreign
	for _, s := range m.chunks {
		if off := addr - s.base; off < s.size && off%blockSize == 0 && off/blockSize < s.size/blockSize {
			want = poolimpl.Double
		}
	}
	if _, v := m.c.Free(addr, itemBytes); v != want {
		m.t.Fatalf("Free of a dead block = %d; want %d", v, want)
	}
}

func (m *model) check() {
	m.c.check(m.t, uint64(len(m.pending)))
	for slot := range m.chunks {
		if joins {
			if m.c.accepts == lone && m.allocs%4 > 0 {
				break // Used would part the entries
			}
		}
		if got, want := m.c.Used(slot), m.used(slot)*blockSize; got != want {
			m.t.Fatalf("Used(%d) = %d, want %d", slot, got, want)
		}
	}
	n := uint64(len(m.live))
	want := poolimpl.Usage{Live: n, LiveBytes: n * itemBytes, Occupied: n * blockSize}
	if feature.Counters {
		want.Allocs, want.PeakBytes = m.allocs, m.peak*itemBytes
	}
	if m.left() > 0 {
		want.LargestFree = itemBytes
	}
	got := m.c.Usage()
	if m.loose {
		want.PeakBytes = got.PeakBytes
	}
	if got != want {
		m.t.Fatalf("Usage = %+v, want %+v", got, want)
	}
	if (m.allocs+uint64(len(m.live)))%4 == 0 {
		m.checkWalk()
	}
}

// run interprets each pair of bytes as an operation and its argument. There may be more operations than every pool has.
func run(t *testing.T, ops []byte, more ...func(*model, uint64)) {
	m := &model{t: t, chunks: map[uint32]span{}, live: map[uint64]uint32{}}
	table := []func(uint64){
		m.alloc, m.alloc, m.alloc, m.free, m.free, m.misuse, m.add, m.remove,
		m.alloc, m.alloc, m.free, m.free, m.freeRun, m.allocMany, m.freeMany, m.failMany, m.replace,
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
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops) })
}

func TestRandom(t *testing.T) { run(t, script(3)) }

// script returns random operations.
func script(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	ops := make([]byte, 40000)
	for i := range ops {
		ops[i] = byte(r.Uint32())
		if i > len(ops)/2 && i%2 == 0 && ops[i]%16 == 7 { // fuller in the second half
			ops[i]--
		}
	}
	return ops
}
