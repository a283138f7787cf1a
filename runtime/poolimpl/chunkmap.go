package poolimpl

import (
	"iter"
	"sync/atomic"
	"unsafe"
)

// ChunkMap leads from addresses and slots to chunks, for goroutines without a lock. T is what a core knows of a chunk. A change of the chunks changes a few
// entries in place, so one more costs the same however many there are.
//
// Any number of goroutines may call [ChunkMap.Find], [ChunkMap.At] and [ChunkMap.All]. Calls of other methods must not overlap each other. A goroutine that looks
// for a chunk while the chunk is added or removed may find it or not. The zero value is empty and ready for use.
type ChunkMap[T any] struct{ m chunkMap }

// chunkMap is a ChunkMap of any type: its code is the same for all.
type chunkMap struct {
	only  unsafe.Pointer // the only chunk; nil if there are several, or none
	where Directory
	slots atomic.Pointer[[]unsafe.Pointer] // by slot. Longer slots replace all; the chunks stay under their numbers.
}

// Find returns the only chunk that can contain addr, nil if there is none. The caller has to compare addr with the chunk, as it may lie beside the chunk. Cost:
// one load for an only chunk, otherwise a few more; O(log chunks) if chunks lie far apart. Find is inlined.
func (c *ChunkMap[T]) Find(addr uint64) *T {
	x := atomic.LoadPointer(&c.m.only)
	if x == nil {
		x = c.m.find(addr)
	}
	return (*T)(x)
}

// only returns the only chunk, nil if there are several, or none.
func (c *ChunkMap[T]) only() *T { return (*T)(atomic.LoadPointer(&c.m.only)) }

// At returns the chunk of a slot, nil if there is none. Cost: three loads.
func (c *ChunkMap[T]) At(slot uint32) *T { return (*T)(c.m.at(slot)) }

// Len returns the number of chunks.
func (c *ChunkMap[T]) Len() int { return c.m.where.count }

// All yields the chunks by slot. Cost: O(slots).
func (c *ChunkMap[T]) All() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for slot := range c.m.load() {
			if x := c.At(uint32(slot)); x != nil && !yield(uint32(slot), x) {
				return
			}
		}
	}
}

// Add adds x, the chunk [base, base+size), under a slot that has none. It must not overlap another chunk. Cost: that of [Directory.Add].
func (c *ChunkMap[T]) Add(slot uint32, base, size uint64, x *T) {
	c.m.add(slot, base, size, unsafe.Pointer(x))
}

// Remove removes the chunk of a slot. Cost: constant.
func (c *ChunkMap[T]) Remove(slot uint32) { c.m.remove(slot) }

// find is Find if there are several chunks, or none.
func (m *chunkMap) find(addr uint64) unsafe.Pointer {
	list := m.load()
	if slot := m.where.Slot(addr); uint64(slot) < uint64(len(list)) {
		return atomic.LoadPointer(&list[slot])
	}
	return m.at(m.where.Search(addr))
}

// load returns the slots.
func (m *chunkMap) load() []unsafe.Pointer {
	if p := m.slots.Load(); p != nil {
		return *p
	}
	return nil
}

// at is At.
func (m *chunkMap) at(slot uint32) unsafe.Pointer {
	if list := m.load(); uint64(slot) < uint64(len(list)) {
		return atomic.LoadPointer(&list[slot])
	}
	return nil
}

// add is Add.
func (m *chunkMap) add(slot uint32, base, size uint64, x unsafe.Pointer) {
	list := m.load()
	if uint64(slot) >= uint64(len(list)) {
		list = m.longer(uint64(slot) + 1)
	}
	m.where.Add(slot, base, size)
	atomic.StorePointer(&m.only, nil)
	// Who finds the chunk by its slot may hand out a block, which is then freed by its address.
	atomic.StorePointer(&list[slot], x)
	m.setOnly()
}

// remove is Remove.
func (m *chunkMap) remove(slot uint32) {
	m.where.Remove(slot)
	atomic.StorePointer(&m.load()[slot], nil)
	m.setOnly()
}

// setOnly brings the only chunk up to date.
func (m *chunkMap) setOnly() {
	var x unsafe.Pointer
	if m.where.count == 1 {
		x = m.at(m.where.sum)
	}
	atomic.StorePointer(&m.only, x)
}

// longer replaces the slots by at least n. A goroutine that still reads the old ones looks for a chunk that was there before.
func (m *chunkMap) longer(n uint64) []unsafe.Pointer {
	old := m.load()
	list := make([]unsafe.Pointer, max(n, 2*uint64(len(old)), 8))
	copy(list, old) // which only the caller writes to
	m.slots.Store(&list)
	return list
}
