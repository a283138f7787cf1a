package memorymap

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// pool is one with those chunks.
func pool(name string, chunks ...poolrt.ChunkSnapshot) poolrt.PoolSnapshot {
	return poolrt.PoolSnapshot{
		PoolInfo: poolrt.PoolInfo{Name: name, Unit: "bytes", Suballocator: "heap", Device: -1, Stats: poolrt.Stats{Limit: poolrt.NoLimit}}, Walked: true, Chunks: chunks,
	}
}

// quarters is a chunk of 4 MiB: a live block, a pending one, a free range, and pieces in turn that are narrower than a pixel. It has 32 rows.
func quarters() poolrt.ChunkSnapshot {
	pieces := []any{poolrt.PieceLive, 1 << 20, poolrt.PiecePending, 1 << 20, poolrt.PieceFree, 1 << 20}
	for range 1 << 16 {
		pieces = append(pieces, poolrt.PieceLive, 4, poolrt.PieceCached, 4, poolrt.PieceFree, 8)
	}
	return chunk(0x10000, pieces...)
}

// rowsOf returns the strips of an image after those of the legend.
func rowsOf(s *poolrt.Snapshot, states int) []strip { return newPage(s).strips[states:] }

func svg(t testing.TB, s *poolrt.Snapshot) string {
	t.Helper()
	var b strings.Builder
	fatal.If(t, SVG(&b, s))
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		if _, err := d.Token(); err == io.EOF {
			return b.String()
		} else if err != nil {
			t.Fatalf("%v in\n%.2000s", err, b.String())
		}
	}
}

func text(t testing.TB, p *poolrt.PoolSnapshot, paper Paper) string {
	t.Helper()
	var b strings.Builder
	fatal.If(t, Text(&b, p, paper))
	return b.String()
}

func TestSVGHasEachPieceWhereItLies(t *testing.T) {
	s := &poolrt.Snapshot{Program: "example.com/app", Pools: []poolrt.PoolSnapshot{pool("app.Text", quarters())}}
	got := svg(t, s)
	rows := rowsOf(s, 4)
	for _, want := range []string{
		">app.Text</text>", "prefers-color-scheme: dark", "<title>0x310000: 32 KiB live, 32 KiB cached, 64 KiB free</title>", "a row of full width is 128 KiB",
		fmt.Sprintf(`<path class="live" d="M%d %dh768v14h-768z"/>`, rows[0].x, rows[0].y),
		fmt.Sprintf(`<path class="pending" d="M%d %dh767v14h-767z"/>`, rows[15].x, rows[15].y),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%.3000s", want, got)
		}
	}
}

// Images name the fragmentation of pools that can fragment.
func TestFixedPoolsDoNotFragment(t *testing.T) {
	s := &poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{pool("app.Text", quarters())}}
	if got := svg(t, s); !strings.Contains(got, ", fragmentation 0.00") {
		t.Errorf("of a heap: %.3000s", got)
	}
	if s.Pools[0].Suballocator = "fixed"; strings.Contains(svg(t, s), "fragmentation") {
		t.Errorf("of a pool of one size: %.3000s", svg(t, s))
	}
}

func TestTextHasALetterForEachCell(t *testing.T) {
	p := pool("app.Text", chunk(0x10000, poolrt.PieceLive, 20480, poolrt.PiecePending, 12288, poolrt.PieceCached, 16384, poolrt.PieceFree, 512, poolrt.PieceLive, 1536, poolrt.PieceWaste, 14336))
	want := " 0x10000 ####################~~~~~~~~~~~~================+#xxxxxxxxxxxxxx  64 KiB, 34%\n" +
		"         # live  + live in part  ~ pending  = cached  x waste  each letter is 1 KiB\n"
	if got := text(t, &p, Paper{Width: 100, Rows: 8}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	coloured := text(t, &p, Paper{Width: 100, Rows: 8, Colour: true})
	for _, code := range []string{"\x1b[34m", "\x1b[33m", "\x1b[32m", "\x1b[31m", "\x1b[0m"} {
		if strings.Count(coloured, code) == 0 {
			t.Errorf("no %q in %q", code, coloured)
		}
		coloured = strings.ReplaceAll(coloured, code, "")
	}
	if coloured != want {
		t.Errorf("%q", coloured)
	}
	if got := text(t, &poolrt.PoolSnapshot{}, Paper{Width: 100, Rows: 8}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// extremes are unusual snapshots.
func extremes() map[string]*poolrt.Snapshot {
	const hostile = "</text><script>alert(1)</script>\x1b[2J\x00\xff\u2028\"'&<!--"
	bad := pool(strings.Repeat(hostile, 50), chunk(1, poolrt.PieceLive, 3))
	bad.Allocator, bad.Suballocator, bad.Concurrency, bad.Ordering, bad.Fit, bad.Unit = hostile, hostile, hostile, hostile, hostile, hostile
	bad.Stats = poolrt.Stats{Live: -1, LiveBytes: math.MinInt64, Reserved: math.MaxInt64, Limit: -7, LargestFree: math.MaxInt64, Failures: math.MaxInt64}
	bad.Fragmentation = math.NaN()
	for i := range 100 {
		bad.Pending = append(bad.Pending, poolrt.PendingFrees{Stream: math.MaxUint64, Device: -1, Blocks: -1, Bytes: int64(i)})
	}
	unseen := pool("app.Own")
	unseen.Walked = false
	var many []poolrt.ChunkSnapshot
	for i := range uint64(5000) {
		many = append(many, chunk(i<<20, poolrt.PieceLive, 1, poolrt.PieceFree, int(i)))
	}
	half := uint64(1 << 63)
	return map[string]*poolrt.Snapshot{
		"no pools":    {},
		"no memory":   {Pools: []poolrt.PoolSnapshot{pool("app.Text")}},
		"no pieces":   {Pools: []poolrt.PoolSnapshot{pool("app.Text", poolrt.ChunkSnapshot{}, poolrt.ChunkSnapshot{Addr: 5, Size: 9})}},
		"hostile":     {Program: hostile, Time: time.Unix(1<<40, 0), Pools: []poolrt.PoolSnapshot{bad}},
		"not looked":  {Pools: []poolrt.PoolSnapshot{unseen}},
		"many chunks": {Pools: []poolrt.PoolSnapshot{pool("app.Text", many...)}},
		"huge": {Pools: []poolrt.PoolSnapshot{pool("app.Text", chunk(0, poolrt.PieceFree, half, poolrt.PieceLive, half-1), chunk(half, poolrt.PieceLive, 1, poolrt.PieceHole, half),
			chunk(math.MaxUint64, poolrt.PieceLive, uint64(math.MaxUint64)))}},
		"huge, many": {Pools: []poolrt.PoolSnapshot{pool("app.Text", bytes200(chunk(half, poolrt.PieceFree, half, poolrt.PieceLive, half-1))...)}},
		"holes":      {Pools: []poolrt.PoolSnapshot{pool("app.Text", holes(20000))}},
	}
}

func bytes200(c poolrt.ChunkSnapshot) (list []poolrt.ChunkSnapshot) {
	for range 200 {
		list = append(list, c)
	}
	return list
}

// holes is a chunk of small blocks far apart.
func holes(blocks int) poolrt.ChunkSnapshot {
	var pieces []any
	for range blocks {
		pieces = append(pieces, poolrt.PieceLive, 1, poolrt.PieceHole, uint64(1<<40))
	}
	return chunk(0, pieces...)
}

// Any snapshot can be drawn: as XML, and as lines that are no wider than the paper and have no control characters.
func TestWhateverASnapshotSaysIsDrawn(t *testing.T) {
	for name, s := range extremes() {
		t.Run(name, func(t *testing.T) {
			got := svg(t, s)
			if strings.Contains(got, "<script") || strings.ContainsAny(got, "\x00\x1b") {
				t.Error("a name is taken for markup")
			}
			for i := range s.Pools {
				for _, wide := range []int{40, 100} {
					for line := range strings.Lines(text(t, &s.Pools[i], Paper{Width: wide, Rows: 8})) {
						if n := len([]rune(line)); n > wide+1 || strings.ContainsAny(line, "\x00\x1b") {
							t.Errorf("%d of %d characters: %q", n, wide, line)
						}
					}
				}
			}
		})
	}
}

// BenchmarkDraw draws 100,000 pieces.
func BenchmarkDraw(b *testing.B) {
	var pieces []any
	for i := range 50_000 {
		pieces = append(pieces, poolrt.PieceLive, 64+i%1000, poolrt.PieceFree, 64)
	}
	s := &poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{pool("app.Text", chunk(1<<40, pieces...))}}
	for name, draw := range map[string]func() error{
		"svg":  func() error { return SVG(io.Discard, s) },
		"text": func() error { return Text(io.Discard, &s.Pools[0], Paper{Width: 100, Rows: 16}) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fatal.If(b, draw())
			}
		})
	}
}
