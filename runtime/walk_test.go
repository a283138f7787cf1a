package runtime

import (
	"slices"
	"testing"
)

// changingCore shows a chunk as it is at the next of some moments.
type changingCore struct {
	Core
	moments [][]Piece
}

func (c *changingCore) Walk(_ uint32, from uint64, see func(Piece) bool) {
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

// What was listed stays; of what lies across its end when the list goes on, the rest is listed; and what nobody shows is waste.
func TestSurveyGoesOnAfterChanges(t *testing.T) {
	live := func(off, size, asked uint64) Piece {
		return Piece{Off: off, Size: size, Asked: asked, State: PieceLive}
	}
	free := func(off, size uint64) Piece { return Piece{Off: off, Size: size} }
	for name, test := range map[string]struct {
		few     int
		moments [][]Piece
		want    []Piece
	}{
		"nothing happens": {1, [][]Piece{{live(0, 40, 30), free(40, 60)}}, []Piece{live(0, 40, 30), free(40, 60)}},
		"free neighbours": {1, [][]Piece{{free(0, 10), free(10, 20), live(30, 70, 70)}}, []Piece{free(0, 30), live(30, 70, 70)}},
		"gaps":            {2, [][]Piece{{live(10, 20, 5), free(50, 40)}}, []Piece{{Size: 10, State: PieceWaste}, live(10, 20, 5), {Off: 30, Size: 20, State: PieceWaste}, free(50, 40), {Off: 90, Size: 10, State: PieceWaste}}},
		"merged":          {1, [][]Piece{{live(0, 40, 40), live(40, 60, 60)}, {free(0, 100)}}, []Piece{live(0, 40, 40), free(40, 60)}},
		"a block across": {1, [][]Piece{{free(0, 40), live(40, 60, 60)}, {live(0, 90, 85), free(90, 10)}},
			[]Piece{free(0, 40), live(40, 50, 45), free(90, 10)}},
		"asked for in front": {1, [][]Piece{{free(0, 40), live(40, 60, 60)}, {live(0, 100, 30)}}, []Piece{free(0, 40), live(40, 60, 0)}},
		"all at once":        {3, [][]Piece{{live(0, 40, 40), live(40, 60, 60)}}, []Piece{live(0, 40, 40), live(40, 60, 60)}},
	} {
		if got := Survey(&changingCore{moments: test.moments}, 0, 100, test.few); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want\n%+v", name, got, test.want)
		}
	}
}

// Neighbours in one state are one piece, up to a bound; blocks are never joined; and the walk can begin anywhere.
func TestRow(t *testing.T) {
	const count = 3*rowRun + 10
	stateOf := func(i uint64) (PieceState, uint64) {
		switch {
		case i < 3:
			return PieceLive, 7
		case i < 5:
			return PiecePending, 6
		case i == count-1:
			return PieceCached, 0
		}
		return PieceFree, 0
	}
	row := Row{Off: 100, Size: 10, Count: count}
	for from := uint64(0); from < 100+10*count; from += 3 {
		at := 100 + (max(from, 100)-100)/10*10
		n := 0
		row.Walk(from, stateOf, func(p Piece) bool {
			state, asked := stateOf((p.Off - 100) / 10)
			if p.Off != at || p.State != state || p.Asked != asked || p.Size > 10*rowRun || state != PieceFree && p.Size != 10 {
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
	if row.Walk(0, stateOf, func(Piece) bool { return false }) || !row.Walk(100+10*count, stateOf, nil) {
		t.Error("it does not tell whether to go on")
	}
}
