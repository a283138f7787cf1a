package runtime

import "slices"

// sizedSlot is a chunk among those of a pool in the order of their sizes, those of one size in that of their slots.
type sizedSlot struct {
	size int64
	slot uint32
}

// before reports whether a chunk comes before another.
func (r sizedSlot) before(other sizedSlot) bool {
	return r.size < other.size || r.size == other.size && r.slot < other.slot
}

// searchBySize returns the place of a chunk in that order.
func (t *chunkTable) searchBySize(r sizedSlot) int {
	low, high := 0, len(t.bySize)
	for low < high { // the library's search with a function takes three times as long, and this is most of what a swap does
		if mid := (low + high) / 2; t.bySize[mid].before(r) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// insertBySize enters a chunk, strike takes one out. Logarithmic, and a move of the entries behind it.
func (t *chunkTable) insertBySize(r sizedSlot) {
	t.bySize = slices.Insert(t.bySize, t.searchBySize(r), r)
}

func (t *chunkTable) removeBySize(r sizedSlot) {
	at := t.searchBySize(r)
	t.bySize = slices.Delete(t.bySize, at, at+1)
}
