package direct

import "math/bits"

// table finds chunks by their addresses. It is a hash table of linked lists. The links are in the chunks.
type table struct {
	heads []uint32 // 1 + slot of the first chunk of each bucket; the length is a power of two
	count int      // of chunks
}

// head returns the bucket of an address. The multiplier is 2^64 divided by the golden ratio: the products of neighbours, and of multiples of a page,
// differ in their upper bits (Knuth, The Art of Computer Programming 6.4).
func (t *table) head(addr uint64) *uint32 {
	hash := addr * 0x9e3779b97f4a7c15
	return &t.heads[hash>>(64-bits.Len(uint(len(t.heads)-1)))]
}

// find returns the slot of the chunk that starts at addr, if there is one.
func (t *table) find(chunks []chunk, addr uint64) (slot uint32, ok bool) {
	if t.count == 0 {
		return 0, false
	}
	for i := *t.head(addr); i != 0; i = chunks[i-1].next {
		if chunks[i-1].base == addr {
			return i - 1, true
		}
	}
	return 0, false
}

// insert inserts a chunk. If there are as many chunks as buckets, it doubles the buckets first.
func (t *table) insert(chunks []chunk, slot uint32) {
	if t.count == len(t.heads) {
		t.grow(chunks)
	}
	t.count++
	t.link(chunks, slot)
}

// link adds a chunk to the list of its bucket.
func (t *table) link(chunks []chunk, slot uint32) {
	head := t.head(chunks[slot].base)
	chunks[slot].next, *head = *head, slot+1
}

// remove removes a chunk.
func (t *table) remove(chunks []chunk, slot uint32) {
	t.count--
	at := t.head(chunks[slot].base)
	for *at != slot+1 {
		at = &chunks[*at-1].next
	}
	*at = chunks[slot].next
}

// grow doubles the buckets, and moves all chunks.
func (t *table) grow(chunks []chunk) {
	old := t.heads
	t.heads = make([]uint32, max(16, 2*len(old)))
	for _, i := range old {
		for i != 0 {
			slot := i - 1
			i = chunks[slot].next
			t.link(chunks, slot)
		}
	}
}
