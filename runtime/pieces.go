package poolrt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// PieceState is the state of a [Piece].
type PieceState uint8

// The states of a piece.
const (
	PieceFree    PieceState = iota // available to the next request
	PieceLive                      // a live block; in a bump pool, all blocks of the chunk
	PiecePending                   // a block that was freed on a stream, which may still be using the block
	PieceCached                    // free, but kept for requests of its size or by a processor
	PieceHole                      // addresses without memory
	PieceWaste                     // not available: left over at the end of a chunk, or usable only after a neighbour is freed
)

// Piece is a part of a chunk: one block, or a range of the chunk that is no block. Sizes are in units of the pool.
type Piece struct {
	Off   uint64 // offset from the start of the chunk
	Size  uint64 // what the piece occupies
	Asked uint64 // of a live or pending block, what was requested, or Size if that is not known

	// Since and Site are known of live blocks: of all in programs built with the tag pooldebug, of a sample with pooltrace. Otherwise they are 0.
	Since int64  // when the block was allocated, in nanoseconds since the start of 1970 UTC
	Site  uint32 // the calls that allocated the block are Snapshot.Sites[Site-1]

	State PieceState
}

// isBlock reports whether the piece is one block. Such pieces are not joined with their neighbours.
func (p Piece) isBlock() bool { return p.State == PieceLive || p.State == PiecePending }

// Pieces are the pieces of a chunk by address. Their JSON is an object of columns. "states" is a string with one letter for each piece: f free, l live, p pending,
// c cached, h hole, w waste. "sizes" is an array with the size of each piece, and "asked" one with Asked of each live or pending piece. "since" and "sites", if they
// are known, have an element for each live piece.
type Pieces []Piece

// pieceLetters are the letters of the states in JSON.
const pieceLetters = "flpchw"

// MarshalJSON returns the object of columns.
func (list Pieces) MarshalJSON() ([]byte, error) {
	states := make([]byte, len(list))
	columns := [4]strings.Builder{}
	put := func(column int, n uint64) {
		if columns[column].Len() > 0 {
			columns[column].WriteByte(',')
		}
		var digits [20]byte
		columns[column].Write(strconv.AppendUint(digits[:0], n, 10))
	}
	known := false
	for _, p := range list {
		known = known || p.Since != 0 || p.Site != 0
	}
	for i, p := range list {
		states[i] = pieceLetters[p.State]
		put(0, p.Size)
		if p.isBlock() {
			put(1, p.Asked)
		}
		if known && p.State == PieceLive {
			put(2, uint64(p.Since))
			put(3, uint64(p.Site))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"states":"%s"`, states)
	for i, name := range [...]string{"sizes", "asked", "since", "sites"} {
		if columns[i].Len() > 0 {
			fmt.Fprintf(&b, `,"%s":[%s]`, name, columns[i].String())
		}
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// UnmarshalJSON reads an object of columns. It fails if the lengths of the columns contradict each other, or if a state or a size is not valid.
func (list *Pieces) UnmarshalJSON(text []byte) error {
	var c struct {
		States string   `json:"states"`
		Sizes  []uint64 `json:"sizes"`
		Asked  []uint64 `json:"asked"`
		Since  []int64  `json:"since"`
		Sites  []uint32 `json:"sites"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	if err := list.fill(c.States, c.Sizes, c.Asked, c.Since, c.Sites); err != nil {
		return &badPieces{slices.Clone(text), err}
	}
	return nil
}

// badPieces is the error of UnmarshalJSON for columns that contradict each other. The text is that of the columns.
type badPieces struct {
	text []byte
	error
}

// fill makes pieces of the columns.
func (list *Pieces) fill(states string, sizes, asked []uint64, since []int64, sites []uint32) error {
	blocks := strings.Count(states, "l") + strings.Count(states, "p")
	live := strings.Count(states, "l")
	if len(sizes) != len(states) || len(asked) != blocks || len(since) != len(sites) || len(since) != 0 && len(since) != live {
		return fmt.Errorf("%d states with %d sizes, %d of %d blocks, %d and %d of %d live ones",
			len(states), len(sizes), len(asked), blocks, len(since), len(sites), live)
	}
	*list = make(Pieces, len(sizes))
	at := uint64(0)
	for i, size := range sizes {
		state := strings.IndexByte(pieceLetters, states[i])
		if state < 0 || size == 0 || at+size < at {
			return fmt.Errorf("piece %d: state %q, size %d at %d", i, states[i], size, at)
		}
		p := &(*list)[i]
		*p = Piece{Off: at, Size: size, State: PieceState(state)}
		at += size
		if p.isBlock() {
			p.Asked, asked = asked[0], asked[1:]
		}
		if p.State == PieceLive && len(since) > 0 {
			p.Since, since = since[0], since[1:]
			p.Site, sites = sites[0], sites[1:]
		}
		if p.Asked > p.Size || p.Since < 0 {
			return fmt.Errorf("piece %d: %d asked for in %d, at %d", i, p.Asked, p.Size, p.Since)
		}
	}
	return nil
}
