package memorymap

import poolrt "github.com/poolgen/poolgen/runtime"

// states is the number of states of a piece.
const states = int(poolrt.PieceWaste) + 1

// look describes how a state is drawn. The colours are those of package poolpage. Colour-blind readers can tell them apart, and lines distinguish
// those that look alike in print.
type look struct {
	name   string
	letter byte   // of a cell
	ansi   string // its colour on a terminal
	light  scheme
	dark   scheme
	lines  byte // / or -, or 0: none
}

// scheme is two colours.
type scheme struct{ fill, lines string }

// looks has the look of each state.
var looks = [states]look{
	poolrt.PieceFree:    {"free", '.', "90", scheme{"#dfe5ee", ""}, scheme{"#2a3546", ""}, 0},
	poolrt.PieceLive:    {"live", '#', "34", scheme{"#2b6fd6", ""}, scheme{"#4c94ff", ""}, 0},
	poolrt.PiecePending: {"pending", '~', "33", scheme{"#e8a33d", "#7a4a00"}, scheme{"#e0a040", "#4a2d00"}, '/'},
	poolrt.PieceCached:  {"cached", '=', "32", scheme{"#58b89c", ""}, scheme{"#3f9f86", ""}, 0},
	poolrt.PieceHole:    {"hole", ' ', "90", scheme{"#ffffff", "#c3ccd9"}, scheme{"#141a24", "#364254"}, '/'},
	poolrt.PieceWaste:   {"waste", 'x', "31", scheme{"#c98aa4", "#84395a"}, scheme{"#9a5b77", "#f0b9d0"}, '-'},
}

// stack is the order of states that share a bar, from the bottom up.
var stack = [states]poolrt.PieceState{poolrt.PieceLive, poolrt.PiecePending, poolrt.PieceCached, poolrt.PieceWaste, poolrt.PieceHole, poolrt.PieceFree}

// Name returns the name of a state.
func Name(s poolrt.PieceState) string { return looks[s].name }

// amounts are the bytes of some memory in each state.
type amounts [states]uint64

// add adds bytes, and saturates.
func (b *amounts) add(s poolrt.PieceState, size uint64) {
	if b[s] += size; b[s] < size {
		b[s] = ^uint64(0)
	}
}

// join adds other amounts.
func (b *amounts) join(others amounts) {
	for s, n := range others {
		b.add(poolrt.PieceState(s), n)
	}
}

// sum returns the sum over all states.
func (b *amounts) sum() (total float64) {
	for _, n := range b {
		total += float64(n)
	}
	return total
}

// memory returns the sum without holes.
func (b *amounts) memory() float64 { return b.sum() - float64(b[poolrt.PieceHole]) }

// percent returns how much of the memory is live.
func (b *amounts) percent() float64 { return 100 * float64(b[poolrt.PieceLive]) / max(b.memory(), 1) }

// only returns the only state that occurs, if there is one.
func (b *amounts) only() (s poolrt.PieceState, ok bool) {
	for i, n := range b {
		if n > 0 {
			if ok {
				return s, false
			}
			s, ok = poolrt.PieceState(i), true
		}
	}
	return s, ok
}

// inStates sums the pieces of a chunk by states.
func inStates(c *poolrt.ChunkSnapshot) (b amounts) {
	for i := range c.Pieces {
		b.add(c.Pieces[i].State, c.Pieces[i].Size)
	}
	return b
}
