package memorymap

import (
	"math"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// partly is the letter of a cell that is live in part. Any other cell has the letter of the state of its largest part.
const partly = '+'

// cell holds how much of a column is in each state.
type cell [states]float64

// cells divides the row into its columns, each of which has the same number of bytes.
func (r *mapRow) cells() []cell {
	list := make([]cell, r.Columns)
	wide := r.Size() / float64(r.Columns)
	seen, i := 0.0, 0
	r.each(func(s slice) {
		end := seen + float64(s.size)
		for ; i < r.Columns-1 && wide*float64(i+1) < end; i++ {
			upTo := max(wide*float64(i+1), seen)
			list[i][s.state] += upTo - seen
			seen = upTo
		}
		list[i][s.state] += end - seen
		seen = end
	})
	return list
}

// letter draws the cell.
func (c *cell) letter() (letter byte, most poolrt.PieceState) {
	total := 0.0
	for s, n := range c {
		if total += n; n > c[most] {
			most = poolrt.PieceState(s)
		}
	}
	switch live := c[poolrt.PieceLive]; {
	case live <= 0:
		return looks[most].letter, most
	case live < total*(1-math.Exp2(-40)): // rounding
		return partly, poolrt.PieceLive
	}
	return looks[poolrt.PieceLive].letter, poolrt.PieceLive
}
