package runtime

import "slices"

// ranked is a chunk among those of a pool in the order of their sizes, those of one size in that of their slots.
type ranked struct {
	size int64
	slot uint32
}

// before reports whether a chunk comes before another.
func (r ranked) before(other ranked) bool {
	return r.size < other.size || r.size == other.size && r.slot < other.slot
}

// rank returns the place of a chunk in that order.
func (t *chunkTable) rank(r ranked) int {
	low, high := 0, len(t.ranked)
	for low < high { // the library's search with a function takes three times as long, and this is most of what a swap does
		if mid := (low + high) / 2; t.ranked[mid].before(r) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// enrol enters a chunk, strike takes one out. Logarithmic, and a move of the entries behind it.
func (t *chunkTable) enrol(r ranked) { t.ranked = slices.Insert(t.ranked, t.rank(r), r) }

func (t *chunkTable) strike(r ranked) {
	at := t.rank(r)
	t.ranked = slices.Delete(t.ranked, at, at+1)
}
