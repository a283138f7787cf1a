package fixed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/templates/feature"
)

// blocks is the number of blocks of a chunk in the model. Chunks lie side by side.
const blocks = 20

// model has what the fast path should know of blocks.
type model struct {
	t       *testing.T
	p       fixed.Params
	c       Core
	r       *rand.Rand
	chunks  uint64
	live    map[uint64]uint32 // address to the life of the block, which is always 0 without handles
	order   []uint64          // addresses in live, for picking one
	retired int
	fast    [2]int // allocations and frees on the fast path
}

func newModel(t *testing.T, p fixed.Params) *model {
	m := &model{t: t, r: rand.New(rand.NewPCG(1, 2)), live: map[uint64]uint32{}, chunks: 3}
	if feature.Handles {
		m.chunks = 1
	}
	p.BlockSize, p.ItemBytes, p.Trims, p.Handles = blockSize, itemBytes, feature.Trims, feature.Handles
	m.p = p
	m.c.Common().Set(&p)
	if p.Ranged {
		m.c.Common().Range(rangeSlot, m.base(0), blocks*blockSize, make([]uint32, m.chunks*blocks))
	}
	for slot := range m.chunks {
		m.c.Common().Add(uint32(slot), m.base(slot), blocks*blockSize)
	}
	return m
}

// rangeSlot is the slot of a range. It begins with the first chunk.
const rangeSlot = 9

// base returns the start of a chunk.
func (m *model) base(slot uint64) uint64 { return 1<<50 + slot%rangeSlot*blocks*blockSize }

// liveIn returns the number of live and retired blocks in the chunk of an address.
func (m *model) liveIn(addr uint64) (slot uint32, n int) {
	slot = uint32((addr - m.base(0)) / (blocks * blockSize))
	for a := range m.live {
		if (a-m.base(0))/(blocks*blockSize) == uint64(slot) {
			n++
		}
	}
	return slot, n + m.retired
}

// enter notes a block that was handed out.
func (m *model) enter(addr uint64) {
	if _, ok := m.live[addr]; ok || addr-m.base(0) >= m.chunks*blocks*blockSize || (addr-m.base(0))%blockSize != 0 {
		m.t.Fatalf("block at %#x handed out", addr)
	}
	m.live[addr] = 0
	if feature.Handles {
		m.live[addr] = m.checkHandle(addr)
	}
	m.order = append(m.order, addr)
}

// checkHandle returns the life of a live block.
//
//poolgen:if feature.Handles
func (m *model) checkHandle(addr uint64) uint32 {
	off := addr - m.base(0)
	h := m.c.Handle(off)
	if v := m.c.Common().Judge(h); v != poolimpl.Freed || !m.c.Fits(h) || m.c.HandleOffset(h) != off || m.c.Fits(h+1<<32) || m.c.Fits(h-1<<32) {
		m.t.Fatalf("block at %#x has the handle %#x, of verdict %d", off, h, v)
	}
	return uint32(h >> 32)
}

func (m *model) alloc() {
	slot, off, ok := m.c.AllocFast()
	if ok {
		m.fast[0]++
	} else if slot, off, ok = m.c.Common().Alloc(itemBytes, 1); !ok {
		if len(m.live)+m.retired < int(m.chunks)*blocks {
			m.t.Fatal("no block")
		}
		return
	}
	m.enter(m.base(uint64(slot)) + off)
}

// leave takes a block out of the live ones.
func (m *model) leave(addr uint64) {
	if feature.Handles {
		if m.live[addr] == fixed.Lives {
			m.retired++
		}
	}
	delete(m.live, addr)
	m.order = slices.DeleteFunc(m.order, func(a uint64) bool { return a == addr })
}

// free frees a block that is live, by its address or its handle.
func (m *model) free(addr uint64) {
	life := m.live[addr]
	slot, n := m.liveIn(addr)
	want := poolimpl.Freed
	if m.p.Trims && n == 1 && life != fixed.Lives {
		want = poolimpl.Emptied
	}
	m.leave(addr)
	got, v := slot, poolimpl.Freed
	byHandle := false
	if feature.Handles {
		if byHandle = m.r.IntN(2) == 0; byHandle {
			h := (addr-m.base(0))/blockSize | uint64(life)<<32
			if m.c.FreeHandle(h) {
				m.fast[1]++
			} else {
				got, v = m.c.Common().FreeLast(h)
			}
			if m.c.Fits(h) || m.c.FreeHandle(h) {
				m.t.Fatalf("handle %#x is stale", h)
			}
		}
	}
	if !byHandle {
		if m.c.FreeFast(addr) {
			m.fast[1]++
		} else {
			got, v = m.c.Common().Free(addr, itemBytes)
		}
	}
	if got != slot || v != want {
		m.t.Fatalf("free of %#x = %d, %d; want %d, %d", addr, got, v, slot, want)
	}
}

// misuse frees what is not live.
func (m *model) misuse() {
	addr := m.base(0) + m.r.Uint64N((m.chunks+2)*blocks*blockSize) - blocks*blockSize
	if m.r.IntN(2) == 0 {
		addr -= addr % blockSize
	}
	if _, ok := m.live[addr]; !ok && (m.c.Common().Lookup(addr, itemBytes) <= poolimpl.Emptied || m.c.FreeFast(addr)) {
		m.t.Fatalf("%#x counts as live", addr)
	}
}

// postpone makes a block pending, and live again.
func (m *model) postpone(addr uint64) {
	if v := m.c.Common().Defer(addr, itemBytes); v != poolimpl.Freed {
		m.t.Fatalf("Defer(%#x) = %d", addr, v)
	}
	if m.c.FreeFast(addr) {
		m.t.Fatalf("FreeFast of pending %#x", addr)
	}
	if slot, off := m.c.Common().Reuse(addr, itemBytes); m.base(uint64(slot))+off != addr {
		m.t.Fatalf("Reuse(%#x) = %d, %d", addr, slot, off)
	}
}

// takeMany and giveMany take and give blocks the way a batch does.
func (m *model) takeMany() {
	slot, list := m.c.FreeList()
	n := uint64(0)
	for ; n < m.r.Uint64N(2*blocks); n++ {
		rest, off, ok := list.Pop()
		if !ok {
			break
		}
		list = rest
		defer m.enter(m.base(uint64(slot)) + off)
	}
	m.c.Common().TookFrom(list.Head, n)
}

func (m *model) giveMany() {
	base, list := m.c.NearList()
	given := slices.Clone(m.order[:m.c.Common().MaxFrees(m.r.IntN(len(m.order)+1))])
	for i, addr := range given {
		longer, ok := list.Push(addr - base)
		if !ok {
			given = given[:i]
			break
		}
		if list = longer; m.live[addr] == fixed.Lives {
			m.t.Fatalf("Push of %#x in its last life", addr)
		}
		m.leave(addr)
	}
	m.c.Common().PutOn(list.Head, uint64(len(given)))
}

// replace replaces live blocks one by one.
func (m *model) replace() {
	for range 200 {
		m.free(m.order[m.r.IntN(len(m.order))])
		m.alloc()
		if len(m.order) == 0 {
			break
		}
	}
}

// age brings a live block into its last life.
func (m *model) age() {
	if feature.Handles {
		if addr := m.order[m.r.IntN(len(m.order))]; m.retired < blocks-5 {
			m.c.Gens[(addr-m.base(0))/blockSize], m.live[addr] = fixed.Lives, fixed.Lives
		}
	}
}

// check compares the counts, and asks the cold paths about each block.
func (m *model) check() {
	for addr := range m.live {
		if v := m.c.Common().Lookup(addr, itemBytes); v != poolimpl.Freed {
			m.t.Fatalf("block at %#x counts as dead: %d", addr, v)
		}
		if feature.Handles {
			if m.checkHandle(addr) != m.live[addr] {
				m.t.Fatalf("block at %#x is not in life %d", addr, m.live[addr])
			}
		}
		if feature.Indexed {
			if off := addr - m.base(0); m.c.Offset(m.c.Number(off)) != off || m.c.Number(off) >= m.chunks*m.c.Blocks(blocks*blockSize+blockSize-1) {
				m.t.Fatalf("block at %d has the number %d", off, m.c.Number(off))
			}
		}
	}
	if u := m.c.Common().Usage(); u.Live != uint64(len(m.live)) || u.Retired != uint64(m.retired) {
		m.t.Fatalf("%+v, but %d live and %d retired", u, len(m.live), m.retired)
	}
	for slot := range m.chunks * m.r.Uint64N(2) { // which sorts out what is at hand
		if _, n := m.liveIn(m.base(slot)); m.c.Common().Used(uint32(slot)) != uint64(n)*blockSize {
			m.t.Fatalf("chunk %d: %d bytes are used by %d blocks", slot, m.c.Common().Used(uint32(slot)), n)
		}
	}
}

// TestFastPath runs random operations on the fast path and the rest in turns, and compares them with the model.
func TestFastPath(t *testing.T) {
	for _, p := range []fixed.Params{{Counters: true}, {Ranged: !feature.Trims}, {Streams: !feature.Handles, Counters: true}} {
		t.Run(fmt.Sprintf("%+v", p), func(t *testing.T) {
			m := newModel(t, p)
			for i := range 4000 {
				switch op := m.r.IntN(40); {
				case op < 14+i/1000 || len(m.live) == 0: // fuller in the end
					m.alloc()
				case op < 28:
					m.free(m.order[m.r.IntN(len(m.order))])
				case op < 31:
					m.misuse()
				case op == 31 && p.Streams:
					m.postpone(m.order[m.r.IntN(len(m.order))])
				case op < 35:
					m.takeMany()
				case op < 38:
					m.giveMany()
				case op == 38 && i%8 == 0:
					m.age()
				default:
					m.replace()
				}
				m.check()
			}
			if slices.Min(m.fast[:]) < 1000 {
				t.Errorf("%d fast operations", m.fast)
			}
		})
	}
}
