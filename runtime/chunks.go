package runtime

import (
	"cmp"
	"slices"
	"time"
	"unsafe"
)

// chunkTable holds the chunks of a pool by slot. Slots of chunks that went back are used again, so the table stays as
// small as the largest number of chunks there ever was.
type chunkTable struct {
	list []entry // Size 0: the slot is free
	free []uint32

	sortsByAddr bool        // Config.Siblings
	byAddr      []uint32    // slots by address
	sortsBySize bool        // TrimPolicy.Growth
	bySize      []sizedSlot // slots by size
}

// entry is a chunk in the table.
type entry struct {
	Chunk
	emptied time.Time // when its last block was freed, for TrimPolicy.Idle
	shares  int       // what was shared of it with other processes: it stays until the pool is closed
}

// at returns the chunk in a slot, unchecked: for slots that the core knows.
func (t *chunkTable) at(slot uint32) *entry {
	return (*entry)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.list)), uintptr(slot)*unsafe.Sizeof(t.list[0])))
}

// put stores a chunk and returns its slot.
func (t *chunkTable) put(c Chunk) (slot uint32) {
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
		t.list[slot] = entry{Chunk: c}
	} else {
		slot = uint32(len(t.list))
		t.list = append(t.list, entry{Chunk: c})
	}
	if t.sortsByAddr {
		at, _ := t.search(c.Addr)
		t.byAddr = slices.Insert(t.byAddr, at, slot)
	}
	if t.sortsBySize {
		t.insertBySize(sizedSlot{c.Size, slot})
	}
	return slot
}

// search returns the place of an address among the sorted chunks, and whether one starts there.
func (t *chunkTable) search(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(t.byAddr, addr, func(slot uint32, addr uint64) int { return cmp.Compare(t.list[slot].Addr, addr) })
}

// drop forgets the chunk in a slot and returns it.
func (t *chunkTable) drop(slot uint32) Chunk {
	c := t.list[slot].Chunk
	if t.sortsByAddr {
		at, _ := t.search(c.Addr)
		t.byAddr = slices.Delete(t.byAddr, at, at+1)
	}
	if t.sortsBySize {
		t.removeBySize(sizedSlot{c.Size, slot})
	}
	t.list[slot] = entry{}
	t.free = append(t.free, slot)
	return c
}

// holds reports whether a slot has a chunk.
func (t *chunkTable) holds(slot uint32) bool {
	return int(slot) < len(t.list) && t.list[slot].Size != 0
}

// admit gives a chunk to the core. The lock is held.
func (e *Engine) admit(c Chunk) {
	slot := e.chunks.put(c)
	if int(slot) == len(e.bases) {
		e.bases = append(e.bases, nil)
	}
	e.bases[slot] = c.Ptr
	if e.core.shared != nil {
		e.places.publish(slot, c)
	}
	e.core.Add(slot, c.Addr, uint64(c.Size))
	if e.delaysTrim() {
		e.markIdle(slot)
	}
}

// evict takes an empty chunk from the core. Its bytes count as reserved until the source has them back. The lock is held. In a pool that others
// use without the lock it may not be empty any more, and stays.
func (e *Engine) evict(slot uint32) (c Chunk, ok bool) {
	if e.core.shared == nil {
		e.core.Remove(slot)
	} else if !e.core.shared.Evict(slot) {
		return Chunk{}, false
	}
	e.bases[slot] = nil
	return e.chunks.drop(slot), true
}

// evictAll takes all chunks, whatever the core has in them: it is about to be forgotten.
func (e *Engine) evictAll() []Chunk {
	var chunks []Chunk
	if e.paged() {
		for _, x := range e.mapped() {
			chunks = append(chunks, x.chunk())
		}
		e.chunks.drop(0)
		return chunks
	}
	for slot := range e.chunks.list {
		if e.chunks.holds(uint32(slot)) {
			e.bases[slot] = nil
			chunks = append(chunks, e.chunks.drop(uint32(slot)))
		}
	}
	return chunks
}

// empty reports whether a slot has a chunk that may go: without live blocks, and with no stream or other process at work in it.
func (e *Engine) empty(slot uint32) bool {
	if e.paged() || !e.chunks.holds(slot) || e.core.Used(slot) != 0 {
		return false
	}
	c := &e.chunks.list[slot]
	return c.shares == 0 && !e.streams.inFlightAt(c.Addr, uint64(c.Size))
}
