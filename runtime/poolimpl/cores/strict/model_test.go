package strict

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.SharedCore = (*Core)(nil)

// cell is the room between the starts of neighbouring chunks in the model; a chunk of so many blocks, in several words, fills it.
var most, cell uint64

// model is what the suballocator should hold, in maps.
type model struct {
	t      *testing.T
	c      *Core
	chunks map[uint32]span
	live   map[uint64]uint32 // address to slot
	order  []uint64          // addresses in live, for picking one
	allocs uint64
	peak   uint64 // largest number of live blocks that the pool must have seen
	most   uint64 // likewise that it can have seen
}

type span struct{ base, size uint64 }

func (m *model) used(slot uint32) (n uint64) {
	for _, s := range m.live {
		if s == slot {
			n++
		}
	}
	return n
}

func (m *model) capacity() (n uint64) {
	for _, s := range m.chunks {
		n += s.size / blockSize
	}
	return n
}

func (m *model) left() uint64 { return m.capacity() - uint64(len(m.live)) }

// add makes a chunk that starts at a cell: whole, smaller, or with a rest that holds no block.
func (m *model) add(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; ok {
		return
	}
	s := span{base: 1<<20*blockSize + uint64(4-slot)*cell, size: cell}
	if x>>3&1 != 0 {
		s.size = x>>4%16*11*blockSize%cell + min(x>>4%3, blockSize-1)
	}
	m.chunks[slot] = s
	m.c.Add(slot, s.base, s.size)
}

// remove takes a chunk away, if none of its blocks is live.
func (m *model) remove(x uint64) {
	slot := uint32(x % 5)
	if _, ok := m.chunks[slot]; !ok {
		return
	}
	gone, want := m.c.Evict(slot), m.used(slot) == 0
	if gone != want {
		m.t.Fatalf("Evict(%d) = %t with %d bytes used", slot, gone, m.used(slot))
	}
	if gone {
		delete(m.chunks, slot)
	}
}

func (m *model) alloc(x uint64) {
	var slot uint32
	var off uint64
	var ok bool
	switch {
	case x&1 == 1:
		slot, off, ok = m.c.fast()
	case x&2 == 0:
		slot, off, ok = m.c.Alloc(itemBytes, 1)
	default:
		slot, off, ok = m.c.AllocAny(itemBytes, 1)
	}
	exact := x&3 == 2 || x&3 == 0 && feature.Magazine == 0 // what is left may lie in a magazine
	if ok && m.left() == 0 || !ok && m.left() > 0 && exact {
		m.t.Fatalf("%d: ok = %v with %d of %d live", x&3, ok, len(m.live), m.capacity())
	}
	if !ok && len(m.chunks) > 0 && exact {
		m.peak = max(m.peak, uint64(len(m.live)))
	}
	if ok {
		m.enter(slot, off)
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
	m.live[s.base+off] = slot
	m.most = max(m.most, uint64(len(m.live)))
	m.order = append(m.order, s.base+off)
	m.allocs++
}

// allocRun takes up to so many blocks the way a batch does.
func (m *model) allocRun(n int) (allocated int) {
	for allocated < n {
		slot, run := m.c.AllocRun(uint64(n - allocated))
		rest, off, ok := m.c.next(run)
		if !ok {
			break
		}
		for ; ok; rest, off, ok = m.c.next(rest) {
			m.enter(slot, off)
			allocated++
		}
	}
	for ok := true; ok && allocated < n; { // as what is left may lie in a magazine
		var slot uint32
		var off uint64
		if slot, off, ok = m.c.AllocAny(itemBytes, 1); ok {
			m.enter(slot, off)
			allocated++
		}
	}
	if allocated < n && m.left() > 0 || allocated > n {
		m.t.Fatalf("%d blocks of %d with %d of %d live", allocated, n, len(m.live), m.capacity())
	}
	if allocated < n && len(m.chunks) > 0 {
		m.peak = max(m.peak, uint64(len(m.live)))
	}
	return allocated
}

func (m *model) allocMany(x uint64) { m.allocRun(int(x % 80)) }

// failMany is a batch that fails after it has got some blocks. Only the peak may tell.
func (m *model) failMany(x uint64) {
	for range m.allocRun(int(x % 80)) {
		m.giveBack(len(m.order)-1, m.c.Undo)
		m.allocs--
	}
}

func (m *model) free(x uint64) {
	if len(m.order) > 0 {
		m.giveBack(int(x%uint64(len(m.order))), m.c.Free)
	}
}

// leave takes the i-th address out of the live ones.
func (m *model) leave(i int) (addr uint64, slot uint32) {
	last := len(m.order) - 1
	addr = m.order[i]
	m.order[i] = m.order[last]
	m.order = m.order[:last]
	slot = m.live[addr]
	delete(m.live, addr)
	return addr, slot
}

// giveBack frees the i-th block by Free or Undo.
func (m *model) giveBack(i int, free func(addr, bytes uint64) (uint32, poolimpl.Verdict)) {
	addr, want := m.leave(i)
	slot, v := free(addr, itemBytes)
	m.classify(slot, want, v)
}

// classify looks at the verdict of a free in a chunk.
func (m *model) classify(slot, want uint32, v poolimpl.Verdict) {
	wantV := poolimpl.Freed
	if feature.Trims && m.used(want) == 0 {
		wantV = poolimpl.Emptied
	}
	if slot != want || v != wantV {
		m.t.Fatalf("Free = %d, %d; want %d, %d", slot, v, want, wantV)
	}
}

// freeMany gives blocks back the way a batch does.
func (m *model) freeMany(x uint64) {
	for range x % 8 {
		if len(m.order) == 0 {
			return
		}
		run := m.c.Gather(m.order[len(m.order)-1])
		var want uint32
		for len(m.order) > 0 {
			longer, ok := m.c.join(run, m.order[len(m.order)-1])
			if !ok {
				break
			}
			run = longer
			if _, again := m.c.join(run, m.order[len(m.order)-1]); again {
				m.t.Fatal("a run has a block twice")
			}
			_, want = m.leave(len(m.order) - 1)
		}
		slot, v := m.c.FreeRun(run)
		m.classify(slot, want, v)
	}
}

// misuse frees an address near the chunks that is no live block, alone and in a run.
func (m *model) misuse(x uint64) {
	addr := 1<<20*blockSize + x*7%(6*cell) - cell/2
	if x&1 == 0 {
		addr -= addr % blockSize
	}
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
	run := m.c.Gather(addr)
	run, ok := m.c.join(run, addr)
	if ok != (want == poolimpl.Double) {
		m.t.Fatalf("Join of a dead block = %t", ok)
	}
	if ok && len(m.order) > 0 {
		if longer, ok := m.c.join(run, m.order[0]); ok { // a live one beside it is not freed either
			run = longer
		}
	}
	if _, v := m.c.FreeRun(run); v != want {
		m.t.Fatalf("FreeRun with a dead block = %d; want %d", v, want)
	}
}

// shut closes the core, which is refused while blocks are live, and begins with another.
func (m *model) shut(x uint64) {
	force := x&15 == 0
	ended, want := m.c.Shut(force), force || len(m.live) == 0
	if ended != want {
		m.t.Fatalf("Shut(%t) = %t with %d live", force, ended, len(m.live))
	}
	if !ended {
		return
	}
	if _, _, ok := m.c.AllocAny(itemBytes, 1); ok {
		m.t.Fatal("a block after the end")
	}
	u, n := m.c.Usage(), uint64(len(m.live))
	if u.Live != n || u.LiveBytes != n*itemBytes || feature.Counters && u.Allocs != m.allocs {
		m.t.Fatalf("Usage = %+v at the end of %d blocks, %d live", u, m.allocs, n)
	}
	for _, addr := range m.order {
		if _, v := m.c.Free(addr, itemBytes); v != poolimpl.Foreign && v != poolimpl.Double {
			m.t.Fatalf("Free after the end = %d", v)
		}
	}
	m.c = newCore()
	m.chunks, m.live, m.order, m.allocs, m.peak, m.most = map[uint32]span{}, map[uint64]uint32{}, nil, 0, 0, 0
}

func (m *model) check() {
	m.c.check(m.t)
	for slot := range m.chunks {
		if got, want := m.c.Used(slot), m.used(slot)*blockSize; got != want {
			m.t.Fatalf("Used(%d) = %d, want %d", slot, got, want)
		}
	}
	n := uint64(len(m.live))
	m.peak = max(m.peak, n) // Usage sees it
	want := poolimpl.Usage{Live: n, LiveBytes: n * itemBytes, Occupied: n * blockSize}
	if feature.Counters {
		want.Allocs, want.PeakBytes = m.allocs, m.peak*itemBytes
	}
	if m.left() > 0 {
		want.LargestFree = itemBytes
	}
	got := m.c.Usage()
	if feature.Magazine > 0 {
		want.Cached = min(got.Cached, (m.capacity()-n)*blockSize)
		if feature.Counters { // a look for blocks that finds them in magazines sees the live ones, too
			want.PeakBytes = max(want.PeakBytes, min(got.PeakBytes, m.most*itemBytes))
			m.peak = want.PeakBytes / itemBytes
		}
	}
	if got != want {
		m.t.Fatalf("Usage = %+v, want %+v", got, want)
	}
	if (m.allocs+uint64(len(m.live)))%4 == 0 {
		m.checkWalk()
	}
}

func newModel(t *testing.T) *model {
	return &model{t: t, c: newCore(), chunks: map[uint32]span{}, live: map[uint64]uint32{}}
}

// run interprets each pair of bytes as an operation and its argument.
func run(t *testing.T, ops []byte) {
	m := newModel(t)
	table := []func(*model, uint64){
		(*model).alloc, (*model).alloc, (*model).alloc, (*model).free, (*model).free, (*model).misuse, (*model).add, (*model).remove,
		(*model).alloc, (*model).shut, (*model).allocMany, (*model).allocMany, (*model).free, (*model).freeMany, (*model).freeMany, (*model).failMany,
	}
	for ; len(ops) > 1; ops = ops[2:] {
		table[int(ops[0])%len(table)](m, uint64(ops[0]>>4)<<8|uint64(ops[1]))
		m.check()
	}
}

// FuzzOps compares any sequence of operations with the model, all counters and verdicts included.
func FuzzOps(f *testing.F) {
	f.Add([]byte{6, 0, 0, 0, 0, 0, 3, 0, 3, 0, 7, 0})
	f.Add([]byte{6, 1, 6, 2, 6, 3, 0, 0, 1, 1, 5, 9, 3, 0, 7, 1, 10, 79, 9, 1, 14, 7, 9, 0})
	f.Fuzz(func(t *testing.T, ops []byte) { run(t, ops) })
}

func TestRandom(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 4))
		ops := make([]byte, 10000)
		for i := range ops {
			ops[i] = byte(r.Uint32())
			if i > len(ops)/2 && i%2 == 0 && ops[i]%16 == 7 { // fuller in the second half
				ops[i]--
			}
			if seed > 1 && i%2 == 0 && ops[i]%16 == 9 { // more seldom at an end
				ops[i]++
			}
		}
		run(t, ops)
	}
}
