package memorymap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// chunk returns a chunk of pieces, given as letters of states with sizes.
func chunk(addr uint64, pieces ...any) poolrt.ChunkSnapshot {
	c := poolrt.ChunkSnapshot{Addr: addr}
	for i := 0; i < len(pieces); i += 2 {
		p := poolrt.Piece{Off: c.Size, State: pieces[i].(poolrt.PieceState)}
		switch size := pieces[i+1].(type) {
		case int:
			p.Size = uint64(size)
		case uint64:
			p.Size = size
		}
		if p.State == poolrt.PieceLive {
			p.Asked = p.Size
		}
		c.Pieces = append(c.Pieces, p)
		c.Size += p.Size
	}
	return c
}

// random makes random chunks.
func random(r *rand.Rand) (all []poolrt.ChunkSnapshot) {
	addr := uint64(1 << 20)
	for range 1 + r.IntN(20) {
		var pieces []any
		for range 1 + r.IntN(300) {
			pieces = append(pieces, poolrt.PieceState(r.IntN(states)), uint64(1+r.Int64N(1<<r.IntN(30))))
		}
		c := chunk(addr, pieces...)
		all = append(all, c)
		addr += c.Size + uint64(r.IntN(100))
	}
	return all
}

// total adds up the memory of chunks by states.
func total(chunks []poolrt.ChunkSnapshot) (b amounts) {
	for i := range chunks {
		b.join(inStates(&chunks[i]))
	}
	return b
}

// Rows show all of the chunks except holes, once and in order. Their runs fill the columns without gap or overlap, and contain all of the row.
func TestRowsAndRunsHaveAllOfTheChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		chunks := random(r)
		columns, rows, perBlock := 1+r.IntN(200), 1+r.IntN(30), 1+r.IntN(9)
		name := fmt.Sprintf("%d: %d chunks, %d columns, %d rows, %d", n, len(chunks), columns, rows, perBlock)
		list := layOut(chunks, columns, rows, perBlock)
		if len(list) > 2*rows {
			t.Errorf("%s: %d rows", name, len(list))
		}
		var all amounts
		for i := range list {
			all.join(checkRow(t, name, &list[i], columns))
			if i > 0 && list[i].Addr <= list[i-1].Addr {
				t.Errorf("%s: row %d is not behind the one before", name, i)
			}
		}
		want := total(chunks)
		if hole := all[poolrt.PieceHole]; hole > want[poolrt.PieceHole] {
			t.Errorf("%s: holes of %d, want %d at most", name, hole, want[poolrt.PieceHole])
		}
		all[poolrt.PieceHole], want[poolrt.PieceHole] = 0, 0
		if all != want {
			t.Errorf("%s: %v, want %v", name, all, want)
		}
	}
}

func checkRow(t *testing.T, name string, row *mapRow, columns int) amounts {
	t.Helper()
	if row.Columns < 1 || row.Columns > columns {
		t.Errorf("%s: %d columns", name, row.Columns)
	}
	at := 0
	var inRuns amounts
	for _, g := range row.runs() {
		if g.At != at || g.Columns < 1 || g.Pieces < 1 {
			t.Fatalf("%s: %+v at %d", name, g, at)
		}
		at += g.Columns
		inRuns.join(g.Bytes)
		checkRects(t, name, &g)
	}
	in := row.inStates()
	if at != row.Columns || inRuns != in {
		t.Errorf("%s: runs up to %d of %d, %v of %v", name, at, row.Columns, inRuns, in)
	}
	var inCells cell
	for _, c := range row.cells() {
		for s, n := range c {
			inCells[s] += n
		}
	}
	for s, n := range in {
		if math.Abs(inCells[s]-float64(n)) > 1e-6*row.Size() {
			t.Errorf("%s: %v in cells, %v in the row", name, inCells, in)
		}
	}
	return in
}

// checkRects checks that the rectangles of a run fill a bar, one above another, and that each state is visible.
func checkRects(t *testing.T, name string, g *run) {
	t.Helper()
	top, seen := 100+bar, 0
	for _, r := range g.rects(50, 100, bar) {
		if r.y+r.h != top || r.h < 1 || r.x != 50+g.At || r.w < 1 || r.w > g.Columns || r.w < g.Columns-1 {
			t.Errorf("%s: %+v below %d of %+v", name, r, top, g)
		}
		top = r.y
		seen++
	}
	want := 0
	for _, n := range g.Bytes {
		if n > 0 {
			want++
		}
	}
	if top != 100 || seen != want {
		t.Errorf("%s: bars up to %d of %d states, want %d of %+v", name, top, seen, want, g)
	}
}

// Pieces narrower than a pixel share one, and a small block among large ones has one of its own.
func TestNarrowPiecesShareAColumn(t *testing.T) {
	var many []any
	for range 1000 {
		many = append(many, poolrt.PieceLive, 1, poolrt.PieceFree, 1)
	}
	for name, test := range map[string]struct {
		chunk poolrt.ChunkSnapshot
		want  []int // columns of each run
	}{
		"one":                {chunk(0, poolrt.PieceLive, 4096), []int{64}},
		"halves":             {chunk(0, poolrt.PieceLive, 2048, poolrt.PieceFree, 2048), []int{32, 32}},
		"a small one first":  {chunk(0, poolrt.PieceLive, 1, poolrt.PieceFree, 4095), []int{1, 63}},
		"a small one inside": {chunk(0, poolrt.PieceFree, 2048, poolrt.PieceLive, 1, poolrt.PieceFree, 2047), []int{32, 1, 31}},
		"a small one last":   {chunk(0, poolrt.PieceFree, 4095, poolrt.PieceLive, 1), []int{63, 1}},
		"many":               {chunk(0, many...), slices.Repeat([]int{1}, 64)},
	} {
		row := mapRow{Columns: 64, parts: []part{{test.chunk.Pieces, 0, test.chunk.Size}}}
		var got []int
		for _, g := range row.runs() {
			got = append(got, g.Columns)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// A line has a power of two of bytes, so many that blocks are visible. Chunks begin new lines, and no line shows only a hole.
func TestLinesAreMadeForBlocks(t *testing.T) {
	var tiles []any
	for range 64 {
		tiles = append(tiles, poolrt.PieceLive, 1024)
	}
	for name, test := range map[string]struct {
		chunks []poolrt.ChunkSnapshot
		rows   int
		want   string
	}{
		"a block is a column": {[]poolrt.ChunkSnapshot{chunk(0, tiles...), chunk(1<<20, tiles...)}, 8, "0:64 1048576:64 "},
		"a short chunk":       {[]poolrt.ChunkSnapshot{chunk(0, tiles...), chunk(1<<20, poolrt.PieceLive, 1024)}, 8, "0:64 1048576:1 "},
		"hardly anything":     {[]poolrt.ChunkSnapshot{chunk(0, poolrt.PieceLive, 64, poolrt.PieceFree, 65472)}, 100, "0:64 16384:64 32768:64 49152:64 "},
		"all free":            {[]poolrt.ChunkSnapshot{chunk(0, poolrt.PieceFree, 65536)}, 8, "0:64 "},
		"a hole": {[]poolrt.ChunkSnapshot{chunk(0, poolrt.PieceLive, 64, poolrt.PieceHole, uint64(1<<40), poolrt.PieceLive, 64)}, 8,
			"0:64 1099511627776:64 "},
		"a hole first":          {[]poolrt.ChunkSnapshot{chunk(0, poolrt.PieceHole, 1<<20, poolrt.PieceLive, 64)}, 8, "0:64 1048576:64 "},
		"more chunks than rows": {[]poolrt.ChunkSnapshot{chunk(0, tiles...), chunk(1<<20, tiles...), chunk(2<<20, tiles...)}, 2, "0:64 2097152:32 "},
		"nothing":               {nil, 2, ""},
		"no bytes":              {[]poolrt.ChunkSnapshot{{}}, 2, ""},
	} {
		got := ""
		for _, r := range layOut(test.chunks, 64, test.rows, 1) {
			got += fmt.Sprintf("%d:%d ", r.Addr, r.Columns)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// Blocks far apart are all shown, however many holes are between them.
func TestRowsAmongHoles(t *testing.T) {
	chunks := []poolrt.ChunkSnapshot{holes(20_000)}
	list := layOut(chunks, 64, 8, 1)
	blocks := uint64(0)
	for i := range list {
		blocks += checkRow(t, "holes", &list[i], 64)[poolrt.PieceLive]
	}
	if blocks != 20_000 || len(list) > 16 {
		t.Errorf("%d blocks in %d rows", blocks, len(list))
	}
}

// Sums saturate.
func TestSumsEndAtWhatFits(t *testing.T) {
	var b amounts
	b.add(poolrt.PieceLive, 1<<63)
	if b.add(poolrt.PieceLive, 1<<63); b[poolrt.PieceLive] != math.MaxUint64 {
		t.Errorf("%v", b)
	}
	b.add(poolrt.PieceHole, 100)
	if got := b.percent(); got != 100 {
		t.Errorf("%v %% of the memory", got)
	}
}
