package strict

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Chunks of the model have several words, of which the last has fewer blocks. They lie side by side.
const (
	chunks = 3
	each   = 2*perWord + 5
	base   = 1 << 40
)

// model has what the fast path should know of blocks.
type model struct {
	t     *testing.T
	c     *Core
	r     *rand.Rand
	live  []uint64 // addresses
	fast  [2]int   // blocks that AllocFast has, and has not
	total uint64
}

func newModel(t *testing.T) *model {
	m := &model{t: t, c: newCore(), r: rand.New(rand.NewPCG(1, 2))}
	for slot := range uint32(chunks) {
		m.c.Add(slot, base+uint64(slot)*each*blockSize, each*blockSize)
	}
	bring(m.c)
	m.total = m.c.Usage().Allocs
	return m
}

// enter notes a block that was handed out.
func (m *model) enter(slot uint32, off uint64) {
	addr := base + uint64(slot)*each*blockSize + off
	if slices.Contains(m.live, addr) || slot >= chunks || off%blockSize != 0 || off/blockSize >= each {
		m.t.Fatalf("block at %d of chunk %d handed out", off, slot)
	}
	m.live = append(m.live, addr)
	m.total++
}

// pick takes a block out of the live ones.
func (m *model) pick() uint64 {
	i := m.r.IntN(len(m.live))
	addr := m.live[i]
	m.live = slices.Delete(m.live, i, i+1)
	return addr
}

// emptied is the verdict of a free of which the chunk has no live block left.
func (m *model) emptied(addr uint64) (slot uint32, v poolimpl.Verdict) {
	at := (addr - base) / (each * blockSize)
	for _, a := range m.live {
		if (a-base)/(each*blockSize) == at {
			return uint32(at), poolimpl.Freed
		}
	}
	if feature.Trims {
		v = poolimpl.Emptied
	}
	return uint32(at), v
}

func (m *model) alloc() {
	slot, off, ok := m.c.AllocFast()
	if ok {
		m.fast[0]++
	} else {
		m.fast[1]++
		if slot, off, ok = m.c.AllocAny(itemBytes, 1); !ok {
			if len(m.live) < chunks*each {
				m.t.Fatalf("no block with %d live", len(m.live))
			}
			return
		}
	}
	m.enter(slot, off)
}

// free frees a block on the fast path, and by the package.
func (m *model) free() {
	addr := m.pick()
	free := m.c.free
	if m.r.IntN(4) == 0 {
		free = m.c.Common().Free
	}
	wantSlot, want := m.emptied(addr)
	if slot, v := free(addr, itemBytes); slot != wantSlot || v != want {
		m.t.Fatalf("Free(%#x) = %d, %d; want %d, %d", addr, slot, v, wantSlot, want)
	}
}

// allocMany and freeMany take and free blocks the way a batch does.
func (m *model) allocMany() {
	slot, run := m.c.AllocRun(m.r.Uint64N(perWord) + 1)
	for rest, off, ok := m.c.Next(run); ok; rest, off, ok = m.c.Next(rest) {
		m.enter(slot, off)
	}
}

func (m *model) freeMany() {
	run := m.c.Gather(m.live[len(m.live)-1])
	var addr uint64
	for n := m.r.IntN(perWord); n >= 0 && len(m.live) > 0; n-- {
		last := m.live[len(m.live)-1]
		longer, ok := m.c.Join(run, last)
		if !ok {
			break
		}
		if _, ok = m.c.Join(longer, last); ok {
			m.t.Fatalf("%#x joins twice", last)
		}
		run, addr, m.live = longer, last, m.live[:len(m.live)-1]
	}
	wantSlot, want := m.emptied(addr)
	if slot, v := m.c.FreeRun(run); slot != wantSlot || v != want {
		m.t.Fatalf("FreeRun = %d, %d; want %d, %d", slot, v, wantSlot, want)
	}
}

// misuse frees what is not live.
func (m *model) misuse() {
	addr := base + m.r.Uint64N((chunks+2)*each*blockSize) - each*blockSize
	if m.r.IntN(2) == 0 {
		addr -= addr % blockSize
	}
	if slices.Contains(m.live, addr) {
		return
	}
	want := poolimpl.Foreign
	if off := addr - base; off < chunks*each*blockSize && off%blockSize == 0 {
		want = poolimpl.Double
	}
	if _, v := m.c.free(addr, itemBytes); v != want {
		m.t.Fatalf("Free(%#x) = %d, want %d", addr, v, want)
	}
	run, ok := m.c.Join(m.c.Gather(addr), addr)
	if _, v := m.c.FreeRun(run); ok != (want == poolimpl.Double) || v != want {
		m.t.Fatalf("FreeRun of %#x = %d, want %d", addr, v, want)
	}
}

// postpone makes a block pending, and live again.
func (m *model) postpone() {
	if feature.Streams {
		addr := m.live[m.r.IntN(len(m.live))]
		m.c.Defer(addr, itemBytes)
		if _, v := m.c.Free(addr, itemBytes); v != poolimpl.Double {
			m.t.Fatalf("Free of pending %#x = %d", addr, v)
		}
		m.c.Reuse(addr, itemBytes)
		m.total++
	}
}

// check compares the counts, and asks for the numbers of blocks.
func (m *model) check() {
	if u := m.c.Usage(); u.Live != uint64(len(m.live)) || feature.Counters && u.Allocs != m.total {
		m.t.Fatalf("%+v, but %d live of %d", u, len(m.live), m.total)
	}
	if feature.Indexed {
		for _, addr := range m.live {
			if off := (addr - base) % (each * blockSize); m.c.Offset(m.c.Number(off)) != off || m.c.Number(off) >= m.c.Blocks(each*blockSize) {
				m.t.Fatalf("block at %d has the number %d", off, m.c.Number(off))
			}
		}
	}
}

// TestFastPath runs random operations on the fast path and the rest in turns, and compares them with the model.
func TestFastPath(t *testing.T) {
	m := newModel(t)
	for i := range 30_000 {
		switch op := m.r.IntN(16); {
		case op < 7 || len(m.live) == 0:
			m.alloc()
		case op < 13:
			m.free()
			if i/1000%2 == 0 && len(m.live) > 0 { // fewer
				m.free()
			}
		case op < 14:
			m.allocMany()
		case op < 15:
			m.freeMany()
			m.misuse()
		default:
			m.postpone()
		}
		m.check()
	}
	if !feature.Sampled && (m.fast[0] < 100 || m.fast[1] < 100) {
		t.Errorf("%d blocks of the fast path, %d others", m.fast[0], m.fast[1])
	}
}

// TestOwners: no block has two owners at the same time, and the counts are right.
func TestOwners(t *testing.T) {
	c := newCore()
	c.Add(0, base, each*blockSize)
	bring(c)
	before := c.Usage().Allocs
	var owners [each]atomic.Int32
	var all sync.WaitGroup
	for id := range int32(4) {
		all.Go(func() {
			for range 20_000 {
				_, off, ok := c.AllocFast()
				if !ok {
					_, off, ok = c.AllocAny(itemBytes, 1)
				}
				if !ok || !owners[off/blockSize].CompareAndSwap(0, id+1) {
					t.Errorf("block at %d, %t, has an owner", off, ok)
					return
				}
				owners[off/blockSize].Store(0)
				if _, v := c.free(base+off, itemBytes); v > poolimpl.Emptied {
					t.Errorf("Free = %d", v)
				}
			}
		})
	}
	all.Wait()
	if u := c.Usage(); u.Live != 0 || feature.Counters && u.Allocs-before != 80_000 {
		t.Errorf("%+v, %d allocations before", u, before)
	}
}

// TestSimultaneousFrees: one of several frees of a block succeeds.
func TestSimultaneousFrees(t *testing.T) {
	c := newCore()
	c.Add(0, base, each*blockSize)
	bring(c)
	for range 3000 {
		_, off, _ := c.AllocAny(itemBytes, 1)
		_, other, _ := c.AllocAny(itemBytes, 1)
		var freed atomic.Int32
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, v := c.free(base+off, itemBytes); v <= poolimpl.Emptied {
					freed.Add(1)
				}
			})
		}
		c.free(base+other, itemBytes)
		if all.Wait(); freed.Load() != 1 {
			t.Fatalf("%d frees succeeded", freed.Load())
		}
	}
}
