package poolimpl_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// found is a chunk in a ChunkMap.
type found struct {
	slot       uint32
	base, size uint64
}

// TestChunkMap: addresses and slots lead to the chunks that a map has, with one chunk, several, or none.
func TestChunkMap(t *testing.T) {
	var m poolimpl.ChunkMap[found]
	r := rand.New(rand.NewPCG(1, 2))
	has := map[uint32]*found{}
	for round := range 4000 {
		slot := r.Uint32N(uint32(1 + round%40))
		if has[slot] != nil {
			m.Remove(slot)
			delete(has, slot)
		} else {
			has[slot] = &found{slot, uint64(1+slot)<<16 + r.Uint64N(100), 1 << 15}
			m.Add(slot, has[slot].base, 1<<15, has[slot])
		}
		count := 0
		for slot, x := range m.All() {
			if count++; has[slot] != x {
				t.Fatalf("slot %d has %v, want %v", slot, x, has[slot])
			}
		}
		if count != len(has) || m.Len() != len(has) {
			t.Fatalf("%d chunks, Len is %d, want %d", count, m.Len(), len(has))
		}
		for slot := range uint32(50) {
			if m.At(slot) != has[slot] {
				t.Fatalf("slot %d has %v, want %v", slot, m.At(slot), has[slot])
			}
			addr := uint64(1+slot) << 16
			for _, addr := range []uint64{addr, addr + 200, addr + 1<<15} {
				x := m.Find(addr)
				if in := x != nil && addr-x.base < x.size; in != (has[slot] != nil && addr-has[slot].base < 1<<15) || in && x != has[slot] {
					t.Fatalf("%#x is found in %v, want %v", addr, x, has[slot])
				}
			}
		}
	}
	if m.At(poolimpl.NoSlot) != nil {
		t.Error("there is a chunk in no slot")
	}
}

// A chunk without bytes has no address, and hides no other chunk.
func TestChunkMapWithoutBytes(t *testing.T) {
	var m poolimpl.ChunkMap[found]
	only := &found{0, 1 << 20, 1 << 15}
	m.Add(0, only.base, only.size, only)
	m.Add(1, 1<<21, 0, &found{1, 1 << 21, 0})
	if x := m.Find(only.base + 5); x != only {
		t.Errorf("beside a chunk without bytes, an address is found in %v", x)
	}
	m.Remove(1)
	if x := m.Find(only.base + 5); x != only {
		t.Errorf("after a chunk without bytes, an address is found in %v", x)
	}
}

// TestChunkMapOfReaders: goroutines find their chunks while others come and go, also as the second one or in slots far beyond.
func TestChunkMapOfReaders(t *testing.T) {
	var m poolimpl.ChunkMap[found]
	mine := &found{0, 1 << 30, 1 << 20}
	m.Add(0, mine.base, mine.size, mine)
	var done atomic.Bool
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for !done.Load() {
				if x := m.Find(mine.base + 1<<19); x != mine || m.At(0) != mine {
					t.Errorf("the chunk is found in %v", x)
					return
				}
				runtime.Gosched()
			}
		})
	}
	for i := range uint32(3000) {
		slot := 1 + i%7*300
		x := &found{slot, mine.base + uint64(1+i%5)<<20, 1 << 20}
		m.Add(slot, x.base, x.size, x)
		if i%3 == 0 {
			far := &found{slot + 1, 1 << 50, 1}
			m.Add(far.slot, far.base, far.size, far)
			m.Remove(far.slot)
		}
		m.Remove(slot)
	}
	done.Store(true)
	all.Wait()
}

// TestChunkMapAsChunksCome: a chunk that a slot leads to is found by its addresses as well, for as long as it stays: a block of it can be handed out and freed.
func TestChunkMapAsChunksCome(t *testing.T) {
	for _, others := range []uint32{0, 1} {
		var m poolimpl.ChunkMap[found]
		for slot := range others {
			m.Add(slot, 1<<40, 1<<20, &found{slot, 1 << 40, 1 << 20})
		}
		var goes atomic.Pointer[found] // the chunk that goes next
		var done atomic.Bool
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for !done.Load() {
					x := m.At(others)
					if x == nil {
						continue
					}
					if at := m.Find(x.base); at != x && goes.Load() != x && m.At(others) == x {
						t.Errorf("beside %d chunks, %#x of slot %d is found in %v", others, x.base, others, at)
						return
					}
				}
			})
		}
		for range 5000 {
			x := &found{others, 1 << 30, 1 << 20}
			m.Add(others, x.base, x.size, x)
			goes.Store(x)
			m.Remove(others)
		}
		done.Store(true)
		all.Wait()
	}
}
