package coretest

import (
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// shown is a core that shows fixed pieces. Walk uses no other method.
type shown struct {
	poolimpl.Core
	pieces []poolrt.Piece
}

func (s shown) Walk(_ uint32, from uint64, see func(poolrt.Piece) bool) {
	for _, p := range s.pieces {
		if p.Off+p.Size > from && !see(p) {
			return
		}
	}
}

// failing records the failure of a test and ends it.
type failing struct{ testing.TB }

func (failing) Helper()                           {}
func (failing) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestWalkComparesPieces(t *testing.T) {
	free := func(off, size uint64) poolrt.Piece { return poolrt.Piece{Off: off, Size: size} }
	block := func(off, size, asked uint64, s poolrt.PieceState) poolrt.Piece {
		return poolrt.Piece{Off: off, Size: size, Asked: asked, State: s}
	}
	live, pending := block(16, 16, 10, poolrt.PieceLive), block(32, 16, 16, poolrt.PiecePending)
	blocks := map[uint64]Block{16: {Asked: 10}, 32: {Asked: 9, Pending: true}}
	for name, c := range map[string]struct {
		pieces []poolrt.Piece
		fails  bool
	}{
		"right":               {[]poolrt.Piece{free(0, 16), live, pending, free(48, 16)}, false},
		"waste at the end":    {[]poolrt.Piece{free(0, 16), live, pending}, false}, // what no piece covers
		"no live block":       {[]poolrt.Piece{free(0, 32), pending, free(48, 16)}, true},
		"unknown block":       {[]poolrt.Piece{block(0, 16, 0, poolrt.PieceLive), live, pending, free(48, 16)}, true},
		"cached, not live":    {[]poolrt.Piece{free(0, 16), block(16, 16, 10, poolrt.PieceCached), pending, free(48, 16)}, true},
		"live, not pending":   {[]poolrt.Piece{free(0, 16), live, block(32, 16, 9, poolrt.PieceLive), free(48, 16)}, true},
		"other length":        {[]poolrt.Piece{free(0, 16), block(16, 16, 11, poolrt.PieceLive), pending, free(48, 16)}, true},
		"more than its place": {[]poolrt.Piece{free(0, 16), block(16, 8, 10, poolrt.PieceLive), free(24, 8), pending, free(48, 16)}, true},
		"beyond the chunk":    {[]poolrt.Piece{free(0, 16), live, pending, free(48, 17)}, true},
		"free with a request": {[]poolrt.Piece{block(0, 16, 1, poolrt.PieceFree), live, pending, free(48, 16)}, true},
	} {
		func() {
			defer func() {
				if r := recover(); (r != nil) != c.fails {
					t.Errorf("%s: fails with %v", name, r)
				}
			}()
			if sums := Walk(failing{t}, shown{pieces: c.pieces}, 0, 64, blocks); sums[poolrt.PieceLive] != 16 || sums[poolrt.PiecePending] != 16 {
				t.Errorf("%s: the bytes by state are %v", name, sums)
			}
		}()
	}
}

// fickle is a core that shows other pieces when a walk begins in the middle of the chunk.
type fickle struct{ shown }

func (f fickle) Walk(slot uint32, from uint64, see func(poolrt.Piece) bool) {
	if from > 0 {
		see(poolrt.Piece{Off: from, Size: 64 - from})
		return
	}
	f.shown.Walk(slot, from, see)
}

func TestWalkComparesSteps(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("several walks show other pieces than one, and the test passes")
		}
	}()
	var pieces []poolrt.Piece
	for off := uint64(0); off < 64; off += 16 {
		pieces = append(pieces, poolrt.Piece{Off: off, Size: 16, State: poolrt.PieceCached})
	}
	Walk(failing{t}, fickle{shown{pieces: pieces}}, 0, 64, nil)
}
