package memorymap

import poolrt "github.com/poolgen/poolgen/runtime"

// rect is a part of a run.
type rect struct {
	x, y, w, h int
	state      poolrt.PieceState
}

// gap is the least width of a block that has a line at its right end.
const gap = 3

// rects returns the parts of a run of a given height: one, or one above another for each state, as high as its share, and at least one pixel.
func (g *run) rects(x, y, high int) (list []rect) {
	state, one := g.Bytes.only()
	wide := g.Columns
	if one && g.Pieces == 1 && g.Ends && wide >= gap && (state == poolrt.PieceLive || state == poolrt.PiecePending) {
		wide--
	}
	total, seen, from := g.Bytes.sum(), 0.0, 0
	for i, s := range stack {
		if g.Bytes[s] == 0 {
			continue
		}
		seen += float64(g.Bytes[s])
		to := min(max(from+1, int(seen/total*float64(high)+0.5)), high-g.above(i))
		list = append(list, rect{x + g.At, y + high - to, wide, to - from, s})
		from = to
	}
	return list
}

// above returns how many states are above one.
func (g *run) above(i int) (n int) {
	for _, s := range stack[i+1:] {
		if g.Bytes[s] > 0 {
			n++
		}
	}
	return n
}
