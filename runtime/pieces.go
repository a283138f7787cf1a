package poolrt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// PieceState says what a piece of a chunk is.
type PieceState uint8

// The states of a piece.
const (
	PieceFree    PieceState = iota // a request can have it
	PieceLive                      // a block that was handed out; of bump, all that was handed out
	PiecePending                   // a block that was freed on a stream, which may still be at work with the block
	PieceCached                    // freed, and kept for requests of its size, or for a processor
	PieceHole                      // addresses without memory
	PieceWaste                     // for no request: left over at the end of a chunk, or not usable before a neighbour is freed
)

// Piece is a part of a chunk.
type Piece struct {
	Off   uint64 // from the start of the chunk
	Size  uint64 // what it takes up
	Asked uint64 // of a block: the bytes of its request, or its size where that is not known
	Since int64  // of live blocks, of all with the tag pooldebug and of some with pooltrace: when the block was handed out, in nanoseconds since 1970; else 0
	Site  uint32 // of the same blocks, the calls that allocated the block: a number in Snapshot.Sites, from 1 on; else 0
	State PieceState
}

// isBlock reports whether the piece is one block, which is not joined with its neighbour.
func (p Piece) isBlock() bool { return p.State == PieceLive || p.State == PiecePending }

// Pieces are those of a chunk, in the order of their addresses. As JSON they are columns: "states" has a letter for each (see below), "sizes" its size, "asked"
// has a number for each live or pending one, "since" and "sites", if they are known, for each live one.
type Pieces []Piece

// pieceLetters stand for the states in files.
const pieceLetters = "flpchw"

// MarshalJSON writes the columns.
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

// UnmarshalJSON reads them, and refuses columns that do not fit each other.
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

// badPieces refuses columns that do not fit each other.
type badPieces struct {
	text []byte
	error
}

// fill puts the columns together.
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
