package poolimpl

import "slices"

// thrash notices that growth gives back chunks whose sizes are asked for again soon, as equal steps of a loop do. The pool is steady once patience growths in a
// row have asked for such sizes. Then requests of any size use empty chunks, and a chunk that is asked for again is added, while the others stay. After strangers
// growths in a row that asked for other sizes, the pool is not steady any more, and its patience doubles: little is kept for nothing.
type thrash struct {
	given    []int64 // sizes of what growth gave back and nobody has asked for since, the last ones
	run      int     // growths in a row that asked for a size in given; below 0, for another one
	patience int     // 0 stands for leastPatience
	steady   bool
}

const (
	leastPatience = 24 // the recorded models whose steps differ have runs of up to 23
	strangers     = 6
	mostGiven     = 32
)

// asksAgain notes that growth needs a chunk, and reports whether it is to be added without giving back others.
func (t *thrash) asksAgain(size int64) bool {
	t.patience = max(t.patience, leastPatience)
	at := slices.Index(t.given, size)
	if at < 0 {
		t.run = min(t.run, 0) - 1
		if t.steady && t.run <= -strangers {
			t.steady, t.patience = false, 2*t.patience
		}
		return false
	}
	t.given = slices.Delete(t.given, at, at+1)
	t.run = max(t.run, 0) + 1
	t.steady = t.steady || t.run >= t.patience
	return t.steady
}

// gave notes what growth has given back.
func (t *thrash) gave(due []surplus) {
	for _, s := range due {
		t.given = append(t.given, int64(s.Size))
	}
	t.given = slices.Delete(t.given, 0, max(0, len(t.given)-mostGiven))
}
