package poolimpl

import (
	"iter"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// chunks holds the chunks of a pool by slot: hot has what addresses are computed from, cold what only the engine reads. A slot is in use if
// hot[slot].Size > 0. Slots of returned chunks are used again, so the table is as long as the largest number of chunks so far.
//
// In a pool with a [SharedCore], goroutines read addresses without mu, through first. A chunk that they may read is only changed in a copy of hot. A
// goroutine that loaded first earlier thus still finds the chunk that was in the slot then: its block may be one that Reset freed.
type chunks struct {
	first  atomic.Pointer[Chunk] // &hot[0]
	hot    []Chunk
	cold   []chunkState
	free   []uint32 // slots
	byAddr slotList // slots in use, by address
	bySize []uint32 // slots in use, by size and then by number; empty unless sized
	shared bool     // goroutines read addresses without mu
	sized  bool     // chunks may be empty
}

// chunkState is what only the engine reads of a chunk.
type chunkState struct {
	emptied time.Time // when its last block was freed, for TrimPolicy.Idle
	shares  int       // holds of other processes on the chunk: while there are any, it stays until the pool is closed
}

// at returns the chunk in a slot for reading. It does not check the slot: cores have slots in use only. Part of the fast path.
func (t *chunks) at(slot uint32) *Chunk {
	return (*Chunk)(unsafe.Add(unsafe.Pointer(t.first.Load()), uintptr(slot)*unsafe.Sizeof(Chunk{})))
}

// pointer returns a pointer to the block at an offset from a chunk. It comes from the chunk where the block lies: the compiler checks pointers to Go's own memory if
// it makes code for the race detector, and chunks are there then. Cores that are called without mu know the chunk of each block.
func (t *chunks) pointer(slot uint32, off uint64) unsafe.Pointer {
	c := t.at(slot)
	if !t.shared && off >= uint64(c.Size) {
		at, _ := t.search(c.Addr + off + 1)
		own := t.at(t.byAddr.all()[at-1])
		off, c = c.Addr+off-own.Addr, own
	}
	return unsafe.Add(c.Ptr, uintptr(off))
}

// block returns the block at an offset of a chunk. apart is the spacing of blocks in memory.
func (t *chunks) block(slot uint32, off, apart uint64) foundBlock {
	c := t.at(slot)
	b := foundBlock{Addr: c.Addr + off, Origin: c.Origin, Offset: off}
	if c.Ptr != nil {
		b.Ptr = unsafe.Add(c.Ptr, uintptr(off*apart))
	}
	return b
}

// put stores a chunk and returns its slot. Cost: two binary searches, and moving slots in byAddr and bySize.
func (t *chunks) put(c Chunk) (slot uint32) {
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
		t.replace(slot, c)
	} else {
		slot = uint32(len(t.hot))
		t.hot, t.cold = append(t.hot, c), append(t.cold, chunkState{})
	}
	t.first.Store(unsafe.SliceData(t.hot))
	at, _ := t.search(c.Addr)
	t.byAddr.insert(at, slot)
	if t.sized {
		t.bySize = slices.Insert(t.bySize, t.searchSize(c.Size, slot), slot)
	}
	return slot
}

// putRange gives a slot to the start of the range in which chunks will lie: cores count from there. No chunk is in the slot. Its Origin is the size of the range.
func (t *chunks) putRange(start Chunk) (slot uint32) {
	start.Origin, start.Size = uint64(start.Size), 0
	t.hot, t.cold = append(t.hot, start), append(t.cold, chunkState{})
	t.first.Store(unsafe.SliceData(t.hot))
	return uint32(len(t.hot) - 1)
}

// replace stores a chunk in a slot that was used before. Sizes are read with mu held only, so changing a size needs no copy.
func (t *chunks) replace(slot uint32, c Chunk) {
	old := &t.hot[slot]
	if old.Ptr == c.Ptr && old.Addr == c.Addr && old.Origin == c.Origin {
		old.Size = c.Size
		return
	}
	if t.shared {
		t.hot = slices.Clone(t.hot)
	}
	t.hot[slot] = c
}

// drop removes the chunk in a slot and returns it.
func (t *chunks) drop(slot uint32) Chunk {
	c := t.hot[slot]
	at, _ := t.search(c.Addr)
	t.byAddr.remove(at)
	if t.sized {
		at := t.searchSize(c.Size, slot)
		t.bySize = slices.Delete(t.bySize, at, at+1)
	}
	t.vacate(slot)
	return c
}

// clear removes all chunks. Cost: one pass over the slots.
func (t *chunks) clear() {
	for slot := range t.all() {
		t.vacate(slot)
	}
	if !t.shared {
		clear(t.hot) // also the start of a range
	}
	t.byAddr, t.bySize = slotList{}, nil
}

// vacate makes a slot free. The caller removes the slot from byAddr and bySize.
func (t *chunks) vacate(slot uint32) {
	if t.shared {
		t.hot[slot].Size = 0
	} else {
		t.hot[slot] = Chunk{} // the garbage collector frees memory that came from the Go heap
	}
	t.cold[slot] = chunkState{}
	t.free = append(t.free, slot)
}

// holds reports whether a slot is in use.
func (t *chunks) holds(slot uint32) bool {
	return uint64(slot) < uint64(len(t.hot)) && t.hot[slot].Size != 0
}

// all yields the slots in use with their chunks.
func (t *chunks) all() iter.Seq2[uint32, Chunk] {
	return func(yield func(uint32, Chunk) bool) {
		for slot, c := range t.hot {
			if c.Size != 0 && !yield(uint32(slot), c) {
				return
			}
		}
	}
}

// bytes returns the bytes of all chunks.
func (t *chunks) bytes() (n int64) {
	for _, c := range t.all() {
		n += c.Size
	}
	return n
}

// find returns the slot of the chunk that an address lies in. Cost: a binary search.
func (t *chunks) find(addr uint64) (slot uint32, ok bool) {
	at, starts := t.search(addr)
	if !starts {
		if at == 0 {
			return 0, false
		}
		at--
	}
	slot = t.byAddr.all()[at]
	c := &t.hot[slot]
	return slot, addr-c.Addr < uint64(c.Size)
}

// pieceAt returns the piece that begins at an address. Cost: a binary search, and a look at a few pieces of the chunk.
func (t *chunks) pieceAt(core Core, addr uint64) (piece poolrt.Piece, found bool) {
	slot, ok := t.find(addr)
	if !ok {
		return poolrt.Piece{}, false
	}
	off := addr - t.hot[slot].Addr
	core.Walk(slot, off, func(p poolrt.Piece) bool {
		if p.Off == off {
			piece, found = p, true
		}
		return p.Off < off
	})
	return piece, found
}

// inUse reports whether an address lies in a live piece of a chunk. To a suballocator that frees all blocks at once, they are one piece.
func (t *chunks) inUse(core Core, addr uint64) (live bool) {
	slot, ok := t.find(addr)
	if !ok {
		return false
	}
	off := addr - t.hot[slot].Addr
	core.Walk(slot, off, func(p poolrt.Piece) bool {
		if p.Off <= off && off-p.Off < p.Size {
			live = p.State == poolrt.PieceLive
		}
		return p.Off+p.Size <= off
	})
	return live
}

// overlapping yields the slots of the chunks that overlap the n addresses from addr on, in order of address. n is not 0.
func (t *chunks) overlapping(addr, n uint64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		at, starts := t.search(addr)
		if !starts && at > 0 {
			at--
		}
		last := addr + (n - 1)
		for _, slot := range t.byAddr.all()[at:] {
			c := &t.hot[slot]
			if c.Addr > last {
				return
			}
			if addr <= c.Addr+uint64(c.Size-1) && !yield(slot) {
				return
			}
		}
	}
}

// vacated lists ranges that blocks have left, each with the slot of its chunk.
func (t *chunks) vacated(ranges extents) (list []vacancy) {
	for _, x := range ranges {
		for slot := range t.overlapping(x.Addr, x.Size) {
			list = append(list, vacancy{slot, x.Addr, x.Size})
		}
	}
	return list
}

// search returns the index of an address in byAddr, and whether a chunk starts there. slices.BinarySearchFunc takes three times as long.
func (t *chunks) search(addr uint64) (at int, starts bool) {
	list := t.byAddr.all()
	low, high := 0, len(list)
	for low < high {
		if mid := (low + high) / 2; t.hot[list[mid]].Addr < addr {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(list) && t.hot[list[low]].Addr == addr
}

// searchSize returns the index of a chunk in bySize.
func (t *chunks) searchSize(size int64, slot uint32) int {
	low, high := 0, len(t.bySize)
	for low < high {
		mid := (low + high) / 2
		other := t.bySize[mid]
		if n := t.hot[other].Size; n < size || n == size && other < slot {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
