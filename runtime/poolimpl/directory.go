package poolimpl

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"
)

// Directory finds the chunk that an address lies in, for suballocators with several chunks. They store what they know of a chunk under its slot.
//
// The directory divides the addresses of all chunks into parts of equal length, short enough that at most one chunk starts in each. So an address leads to its
// chunk with one comparison, whose result is a shift: no branch depends on the address. A branch would be mispredicted all the time when blocks of several
// chunks are freed in any order, each time after the processor has waited for memory. Where chunks lie so far apart that the parts would take up too much
// memory, binary searches find the chunk.
//
// The zero value is empty and ready for use. Any number of goroutines may call [Directory.Slot] and [Directory.Search]. Calls of other methods
// must not overlap each other.
type Directory struct {
	parts  atomic.Pointer[partition]
	chunks []Extent // by slot; of size 0 where there is no chunk
	count  int      // of chunks
	sum    uint32   // of their slots, modulo 2^32: that of an only chunk
	bytes  uint64   // of all chunks
}

// NoSlot is the slot of addresses that are in no chunk.
const NoSlot = ^uint32(0)

// partition is what goroutines read. For longer tables, and for parts of other length, a new one replaces it.
type partition struct {
	low   uint64 // start of the first part
	shift int    // a part is 1<<shift long
	list  []part // empty if there are binary searches instead
	far   *far   // nil if there are parts
}

// part leads to the chunks in a part of the addresses. Goroutines read split first, and a slot then. A start is written in the other order, so they see the
// slot of the split that they have seen.
type part struct {
	split atomic.Uint64    // start of the chunk that starts in the part; the last address if there is none
	slots [2]atomic.Uint32 // of the chunk from split on, and of the one below
}

// Slot returns the slot of the only chunk that can contain addr. The caller has to compare addr with that chunk, as it may lie beside the chunk, or the chunk
// may have been removed. Slot returns [NoSlot] if there is no such chunk, or only [Directory.Search] finds it. Slot is inlined.
func (d *Directory) Slot(addr uint64) uint32 {
	if p := d.parts.Load(); p != nil {
		if k := (addr - p.low) >> (p.shift & 63); k < uint64(len(p.list)) {
			at := &p.list[k]
			_, below := bits.Sub64(addr, at.split.Load(), 0)
			return at.slots[below&1].Load()
		}
	}
	return NoSlot
}

// Search is Slot for addresses of which that knows no chunk. It finds chunks that lie far apart. Cost: O(log chunks).
func (d *Directory) Search(addr uint64) uint32 {
	if p := d.parts.Load(); p != nil && p.far != nil {
		return p.far.search(addr)
	}
	return NoSlot
}

// Find returns the slot of the chunk that addr lies in, and the offset of addr in it; ok is false if there is none. Cost: a few loads; O(log chunks) if chunks lie far apart.
func (d *Directory) Find(addr uint64) (slot uint32, off uint64, ok bool) {
	if slot = d.Slot(addr); slot == NoSlot {
		slot = d.Search(addr)
	}
	if uint64(slot) >= uint64(len(d.chunks)) {
		return 0, 0, false
	}
	off = addr - d.chunks[slot].Addr
	return slot, off, off < d.chunks[slot].Size
}

// Add adds the chunk [base, base+size) under slot. It must not overlap another chunk; it may touch one, and may end at 2^64. Cost: constant on average, plus
// the number of parts in the chunk. Where chunks lie far apart, it is the cost of copying some kilobytes.
func (d *Directory) Add(slot uint32, base, size uint64) {
	if n := int(slot) + 1; n > len(d.chunks) {
		d.chunks = append(d.chunks, make([]Extent, n-len(d.chunks))...)
	}
	if size == 0 {
		return
	}
	d.count++
	d.sum += slot
	d.bytes += size
	x, p := Extent{base, size}, d.parts.Load()
	entered := p != nil && d.enter(p, slot, x)
	d.chunks[slot] = x
	if !entered {
		d.rebuild(slot)
	}
}

// Remove removes the chunk of slot. A slot without a chunk is ignored. What parts say of the chunk is replaced when another one comes. Cost: constant.
func (d *Directory) Remove(slot uint32) {
	if uint64(slot) >= uint64(len(d.chunks)) || d.chunks[slot].Size == 0 {
		return
	}
	d.count--
	d.sum -= slot
	d.bytes -= d.chunks[slot].Size
	d.chunks[slot] = Extent{}
	if d.count == 0 {
		d.parts.Store(nil)
	}
}

// enter adds the chunk x to its parts, before d has it. It reports false if one of them does not exist, or another chunk starts in the part where the chunk starts.
func (d *Directory) enter(p *partition, slot uint32, x Extent) bool {
	first, last := (x.Addr-p.low)>>p.shift, (x.last()-p.low)>>p.shift
	if x.Addr < p.low || last >= uint64(len(p.list)) || d.starts(p, first) {
		return false
	}
	at := &p.list[first]
	at.slots[0].Store(slot)
	at.split.Store(x.Addr)
	for k := first + 1; k <= last; k++ {
		at := &p.list[k]
		if !d.starts(p, k) {
			at.slots[0].Store(slot)
			at.split.Store(^uint64(0)) // whoever reads it before another chunk starts here, and a slot after that, needs slots[1]
		}
		at.slots[1].Store(slot)
	}
	return true
}

// starts reports whether a chunk starts in a part.
func (d *Directory) starts(p *partition, k uint64) bool {
	at := &p.list[k]
	slot := at.slots[0].Load()
	if uint64(slot) >= uint64(len(d.chunks)) {
		return false
	}
	x := d.chunks[slot]
	return x.Size > 0 && x.Addr == at.split.Load() && x.Addr >= p.low && (x.Addr-p.low)>>p.shift == k
}

// rebuild replaces the parts by those for all chunks, one of which has just come.
func (d *Directory) rebuild(latest uint32) {
	old := d.parts.Load()
	if old != nil && old.far != nil && d.count < old.far.retry {
		d.parts.Store(&partition{far: d.farther(old.far, latest)})
		return
	}
	order := d.order()
	shift := d.shift(order)
	first, last := d.chunks[order[0]].Addr>>shift, d.chunks[order[len(order)-1]].last()>>shift
	need, most := last-first, 16*uint64(d.count)+min(d.bytes>>12, 1<<16)+64
	if need >= most {
		d.parts.Store(&partition{far: &far{old: d.run(order), retry: 2 * d.count}})
		return
	}
	room := max(min(need, most-need), need/4) // for chunks to come, above the others or below
	p := &partition{shift: shift, list: make([]part, need+1+room)}
	if latest == order[0] {
		first -= min(room, first)
	}
	p.low = first << shift
	for i := range p.list {
		p.list[i].slots[0].Store(NoSlot)
		p.list[i].slots[1].Store(NoSlot)
	}
	for _, slot := range order {
		d.enter(p, slot, d.chunks[slot])
	}
	d.parts.Store(p)
}

// order returns the slots of all chunks in the order of their addresses.
func (d *Directory) order() []uint32 {
	slots := make([]uint32, 0, d.count)
	for slot, x := range d.chunks {
		if x.Size > 0 {
			slots = append(slots, uint32(slot))
		}
	}
	slices.SortFunc(slots, func(a, b uint32) int { return cmp.Compare(d.chunks[a].Addr, d.chunks[b].Addr) })
	return slots
}

// shift returns how long parts are, as a power of two, so that at most one chunk starts in each.
func (d *Directory) shift(order []uint32) int {
	least := d.chunks[order[0]].Size
	for i, slot := range order[1:] {
		gap := d.chunks[slot].Addr - d.chunks[order[i]].Addr
		if i == 0 || gap < least {
			least = gap
		}
	}
	return bits.Len64(least) - 1
}
