package poolimpl

import (
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// changingCore is a core whose chunk changes from one call to the next.
type changingCore struct {
	Core
	moments [][]poolrt.Piece
}

func (c *changingCore) Walk(_ uint32, from uint64, see func(poolrt.Piece) bool) {
	now := c.moments[0]
	if len(c.moments) > 1 {
		c.moments = c.moments[1:]
	}
	for _, p := range now {
		if !see(p) {
			return
		}
	}
}

// Pieces that were listed stay. Of a piece that crosses the end of the list when the survey continues, the rest is listed. Gaps are waste.
func TestSurveyGoesOnAfterChanges(t *testing.T) {
	live := func(off, size, asked uint64) poolrt.Piece {
		return poolrt.Piece{Off: off, Size: size, Asked: asked, State: poolrt.PieceLive}
	}
	free := func(off, size uint64) poolrt.Piece { return poolrt.Piece{Off: off, Size: size} }
	for name, test := range map[string]struct {
		few     int
		moments [][]poolrt.Piece
		want    []poolrt.Piece
	}{
		"nothing happens": {1, [][]poolrt.Piece{{live(0, 40, 30), free(40, 60)}}, []poolrt.Piece{live(0, 40, 30), free(40, 60)}},
		"free neighbours": {1, [][]poolrt.Piece{{free(0, 10), free(10, 20), live(30, 70, 70)}}, []poolrt.Piece{free(0, 30), live(30, 70, 70)}},
		"gaps":            {2, [][]poolrt.Piece{{live(10, 20, 5), free(50, 40)}}, []poolrt.Piece{{Size: 10, State: poolrt.PieceWaste}, live(10, 20, 5), {Off: 30, Size: 20, State: poolrt.PieceWaste}, free(50, 40), {Off: 90, Size: 10, State: poolrt.PieceWaste}}},
		"merged":          {1, [][]poolrt.Piece{{live(0, 40, 40), live(40, 60, 60)}, {free(0, 100)}}, []poolrt.Piece{live(0, 40, 40), free(40, 60)}},
		"a block across": {1, [][]poolrt.Piece{{free(0, 40), live(40, 60, 60)}, {live(0, 90, 85), free(90, 10)}},
			[]poolrt.Piece{free(0, 40), live(40, 50, 45), free(90, 10)}},
		"asked for in front": {1, [][]poolrt.Piece{{free(0, 40), live(40, 60, 60)}, {live(0, 100, 30)}}, []poolrt.Piece{free(0, 40), live(40, 60, 0)}},
		"all at once":        {3, [][]poolrt.Piece{{live(0, 40, 40), live(40, 60, 60)}}, []poolrt.Piece{live(0, 40, 40), live(40, 60, 60)}},
	} {
		if got := Survey(&changingCore{moments: test.moments}, 0, 100, test.few); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want\n%+v", name, got, test.want)
		}
	}
}

// Adjacent ranges in one state are one piece, up to a bound; blocks are never joined. The walk can begin anywhere.
func TestRow(t *testing.T) {
	const count = 3*rowRun + 10
	stateOf := func(i uint64) (poolrt.PieceState, uint64) {
		switch {
		case i < 3:
			return poolrt.PieceLive, 7
		case i < 5:
			return poolrt.PiecePending, 6
		case i == count-1:
			return poolrt.PieceCached, 0
		}
		return poolrt.PieceFree, 0
	}
	row := Row{Off: 100, Size: 10, Count: count}
	for from := uint64(0); from < 100+10*count; from += 3 {
		at := 100 + (max(from, 100)-100)/10*10
		n := 0
		row.Walk(from, stateOf, func(p poolrt.Piece) bool {
			state, asked := stateOf((p.Off - 100) / 10)
			if p.Off != at || p.State != state || p.Asked != asked || p.Size > 10*rowRun || state != poolrt.PieceFree && p.Size != 10 {
				t.Fatalf("from %d: %+v at %d", from, p, at)
			}
			at += p.Size
			n++
			return true
		})
		if at != 100+10*count || from == 0 && n != 5+4+1 {
			t.Fatalf("from %d: %d pieces up to %d", from, n, at)
		}
	}
	if row.Walk(0, stateOf, func(poolrt.Piece) bool { return false }) || !row.Walk(100+10*count, stateOf, nil) {
		t.Error("the walk does not report whether to continue")
	}
}
