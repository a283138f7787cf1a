package poolimpl

import "slices"

// thrash notices that growth gives back chunks whose sizes are asked for again soon, as equal steps of a loop do. The pool has settled when patience growths in a
// row have asked for such sizes. Then requests of any size use empty chunks, and a chunk that is asked for again is added, while the others stay. When strangers
// growths in a row have asked for other sizes, the pool is no longer settled, and its patience doubles. So little is kept in vain.
type thrash struct {
	given    []int64 // sizes of what growth gave back and nobody has asked for since, the last ones
	run      int     // growths in a row that asked for a size in given; below 0, for another one
	patience int     // 0 stands for leastPatience
	settled  bool
}

const (
	leastPatience = 24 // of loads whose sizes vary, the longest runs are shorter
	strangers     = 6
	mostGiven     = 32
)

// asksAgain notes that growth needs a chunk, and reports whether it is to be added without giving back others.
func (t *thrash) asksAgain(size int64) bool {
	t.patience = max(t.patience, leastPatience)
	at := slices.Index(t.given, size)
	if at < 0 {
		t.run = min(t.run, 0) - 1
		if t.settled && t.run <= -strangers {
			t.settled, t.patience = false, 2*t.patience
		}
		return false
	}
	t.given = slices.Delete(t.given, at, at+1)
	t.run = max(t.run, 0) + 1
	t.settled = t.settled || t.run >= t.patience
	return t.settled
}

// gave notes what growth has given back.
func (t *thrash) gave(due []surplus) {
	for _, s := range due {
		t.given = append(t.given, int64(s.Size))
	}
	t.given = slices.Delete(t.given, 0, max(0, len(t.given)-mostGiven))
}
