package runtime

import (
	"cmp"
	"slices"
)

// ranked is a chunk among those of a pool in the order of their sizes, those of one size in that of their slots.
type ranked struct {
	size int64
	slot uint32
}

// rank returns the place of a chunk in that order.
func (t *chunkTable) rank(r ranked) int {
	at, _ := slices.BinarySearchFunc(t.ranked, r, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.slot, b.slot))
	})
	return at
}

// enrol enters a chunk, strike takes one out. Logarithmic, and a move of the entries behind it.
func (t *chunkTable) enrol(r ranked) { t.ranked = slices.Insert(t.ranked, t.rank(r), r) }

func (t *chunkTable) strike(r ranked) {
	at := t.rank(r)
	t.ranked = slices.Delete(t.ranked, at, at+1)
}
