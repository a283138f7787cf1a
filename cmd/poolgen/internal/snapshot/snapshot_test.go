package snapshot

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/internal/memorymap"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// live is a block.
func live(off, size, asked uint64, since time.Duration, site uint32) poolrt.Piece {
	p := poolrt.Piece{Off: off, Size: size, Asked: asked, State: poolrt.PieceLive, Site: site}
	if since != 0 {
		p.Since = noon.Add(since).UnixNano()
	}
	return p
}

// pool returns a pool with a chunk of those pieces.
func pool(name string, pieces ...poolrt.Piece) poolrt.PoolSnapshot {
	p := poolrt.PoolSnapshot{PoolInfo: poolrt.PoolInfo{Name: name, Unit: "bytes", Suballocator: "heap", Device: -1}, Walked: true}
	p.Stats.Limit = poolrt.NoLimit
	c := poolrt.ChunkSnapshot{Addr: 0x1000, Pieces: pieces}
	for _, piece := range pieces {
		c.Size += piece.Size
		if piece.State == poolrt.PieceLive {
			p.Stats.Live++
			p.Stats.LiveBytes += int64(piece.Asked)
		}
	}
	p.Chunks = []poolrt.ChunkSnapshot{c}
	return p
}

// taken returns a snapshot that was taken some time after noon.
func taken(after time.Duration, pools ...poolrt.PoolSnapshot) *poolrt.Snapshot {
	return &poolrt.Snapshot{Program: "example.com/app", Time: noon.Add(after), Pools: pools, Sites: []poolrt.Site{
		{Frames: []poolrt.Frame{{Function: "example.com/app/scene.(*TextPool).Alloc", File: "/src/text_shell.go", Line: 9, Generated: true}, {Function: "example.com/app.load", File: `C:\src\load.go`, Line: 12},
			{Function: "main.main", File: "main.go", Line: 3}, {Function: "runtime.main", File: "proc.go", Line: 1}}},
	}}
}

// Pools are identified by their names, and by their position among pools of one name.
func TestPoolsThatCameAndWent(t *testing.T) {
	block := live(0, 64, 60, 0, 0)
	unseen, bump := pool("unseen", block), pool("bump", block)
	unseen.Walked, unseen.Chunks = false, nil
	bump.AllAtOnce = true
	more := bump
	more.Chunks = []poolrt.ChunkSnapshot{{Addr: 0x1000, Size: 128, Pieces: poolrt.Pieces{live(0, 128, 128, 0, 0)}}}
	d := Between(taken(0, pool("twice"), pool("twice", block), pool("went", block), unseen, bump), taken(time.Minute, pool("came", block), pool("twice"), pool("twice", block), unseen, more))
	got := ""
	for _, p := range d.Pools {
		got += fmt.Sprintf("%s %v %v known %v +%d -%d\n", p.Name, p.Before != nil, p.After != nil, p.Known, p.New.Pieces, p.Gone.Pieces)
	}
	want := "came false true known true +1 -0\ntwice true true known true +0 -0\ntwice true true known true +0 -0\nunseen true true known false +0 -0\n" +
		"bump true true known false +0 -0\nwent true false known true +0 -1\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// New blocks are grouped by calls, or by size, and those with the most bytes come first.
func TestNewBlocksAreGrouped(t *testing.T) {
	after := pool("a", live(0, 64, 60, 2*time.Second, 1), live(64, 64, 60, 0, 0), live(128, 64, 60, 0, 0), live(192, 64, 64, time.Second, 1), live(256, 300, 300, 0, 0))
	got := Between(taken(0, pool("a")), taken(time.Minute, after)).Pools[0].NewBy
	want := []Group{
		{Size: 300, Blocks: 1, Bytes: 300, Addrs: []string{"0x1100"}},
		{Calls: taken(0).Sites[0].Frames, Blocks: 2, Bytes: 124, Oldest: noon.Add(time.Second), Newest: noon.Add(2 * time.Second), Addrs: []string{"0x1000", "0x10c0"}},
		{Size: 60, Blocks: 2, Bytes: 120, Addrs: []string{"0x1040", "0x1080"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
}

func textOf(t *testing.T, paper Paper, list ...*poolrt.Snapshot) string {
	t.Helper()
	var b strings.Builder
	var err error
	if len(list) == 2 {
		err = TextBetween(&b, list[0], list[1], paper)
	} else {
		err = Text(&b, list[0], paper)
	}
	fatal.If(t, err)
	return b.String()
}

// sample returns a snapshot with some of everything.
func sample() *poolrt.Snapshot {
	p := pool("scene.Text", live(0, 4096, 4000, -90*time.Second, 1), live(4096, 4096, 4096, 0, 0), poolrt.Piece{Off: 8192, Size: 8192})
	p.Stats.Reserved, p.Stats.LargestFree, p.Stats.Failures, p.Free = 16384, 8192, 2, 8192
	p.Allocator, p.Concurrency, p.Ordering, p.Device = "device", "mutex", "stream", 0
	for i := range int64(7) {
		p.Pending = append(p.Pending, poolrt.PendingFrees{Stream: uint64(i + 1), Blocks: 1 + i, Bytes: 1024})
	}
	for i := range 20 {
		p.Events = append(p.Events, poolrt.FlightEvent{Number: uint64(i), Time: noon.Add(time.Duration(i-20) * time.Second), Addr: 0x1000, Bytes: 4000, Stream: 7, Site: 1})
	}
	return taken(0, p)
}

func TestTextSaysWhatIsKnown(t *testing.T) {
	got := textOf(t, Paper{Width: 100}, sample())
	for _, want := range []string{
		"example.com/app, 2026-05-04 12:00:00, 1 pool\n",
		"\nscene.Text  7.91 KiB    16 KiB   none         8 KiB    0.00    7 KiB     0 B         2\n",
		"\nscene.Text: heap, memory device, concurrency mutex, ordering stream, device 0\n",
		"################................", "\n       1 KiB in 1 block: stream 1 of device 0\n", "\n   and by 2 more streams\n",
		"\n held by these calls, as far as they are known (1 of 2 blocks):\n    3.91 KiB in 1 block, 1m30s old: app.load (load.go:12) < main.main (main.go:3)\n",
		"\n the last of 20 events:\n", "\n          8s ago  alloc   3.91 KiB  0x1000  stream 7  app.load (load.go:12) < main.main (main.go:3)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") || !strings.Contains(textOf(t, Paper{Width: 100, Colour: true}, sample()), "\x1b[1mscene.Text\x1b[0m: heap") {
		t.Error("colours where none are wanted, or none where they are")
	}
}

func TestTextBetweenSaysWhatChanged(t *testing.T) {
	before, after := sample(), sample()
	p := &after.Pools[0]
	after.Time = noon.Add(time.Minute)
	p.Stats.Live, p.Stats.LiveBytes, p.Stats.Failures = 3, p.Stats.LiveBytes+100, 5
	p.Chunks[0].Pieces = poolrt.Pieces{p.Chunks[0].Pieces[0], p.Chunks[0].Pieces[1], live(8192, 8192, 8000, 30*time.Second, 1)}
	got := textOf(t, Paper{Width: 100}, before, after)
	want := "example.com/app, 2026-05-04 12:00:00\nexample.com/app, 2026-05-04 12:01:00, 1m0s later\n\nscene.Text\n" +
		" live            7.91 KiB ->     8 KiB      +100 B\n live blocks            2 ->         3          +1\n failures               2 ->         5          +3\n" +
		" new: 1 block of 7.81 KiB\n    7.81 KiB in 1 block, 30s old: app.load (load.go:12) < main.main (main.go:3)\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := textOf(t, Paper{Width: 100}, before, before); !strings.HasSuffix(got, "\n\nnothing changed in scene.Text\n") {
		t.Error(got)
	}
}

// A limit that the program may raise is shown with how far.
func TestTextSaysHowFarTheLimitMayRise(t *testing.T) {
	for most, want := range map[int64]string{
		0: "", 1 << 20: "", 3 << 20: " limit 1 MiB, which the program may raise to 3 MiB\n", poolrt.NoLimit: " limit 1 MiB, which the program may raise\n",
	} {
		p := pool("a")
		p.Stats.Limit, p.MaxLimit = 1<<20, most
		if got := textOf(t, Paper{Width: 120}, taken(0, p)); want == "" && strings.Contains(got, "may raise") || !strings.Contains(got, want) {
			t.Errorf("max_limit %d: want %q, got\n%s", most, want, got)
		}
	}
}

// If figures leave no room for a name, it has a line of its own. Each free block of a fixed pool
// serves every request, however they lie.
func TestFixedPoolsDoNotFragment(t *testing.T) {
	fixed := func(fragmentation float64, count int64) poolrt.PoolSnapshot {
		p := pool("scene.Vertex", live(0, 64, 64, 0, 0), poolrt.Piece{Off: 64, Size: 64}, live(128, 64, 64, 0, 0), poolrt.Piece{Off: 192, Size: 64})
		p.Suballocator, p.Fragmentation, p.Free, p.Stats.LargestFree, p.Stats.Allocs = "fixed", fragmentation, 128, 64, count
		return p
	}
	before, after := taken(0, fixed(0.5, 2)), taken(time.Second, fixed(0.25, 3))
	if got := textOf(t, Paper{Width: 100}, before); !strings.Contains(got, " 64 B       -  ") {
		t.Errorf("no dash in\n%s", got)
	}
	if got := textOf(t, Paper{Width: 100}, before, after); strings.Contains(got, "fragmentation") || !strings.Contains(got, "allocs") {
		t.Errorf("got\n%s", got)
	}
}

func TestNarrowTable(t *testing.T) {
	s := sample()
	s.Pools[0].Name = "example.com/a/long/name/scene.Text"
	if got := textOf(t, Paper{Width: 80}, s); !strings.Contains(got, "\nexample.com/a/long/name/scene.Text\n  7.91 KiB    16 KiB   none") {
		t.Error(got)
	}
	if got := textOf(t, Paper{Width: 100}, s); !strings.Contains(got, "\n...ame/scene.Text  7.91 KiB") && !strings.Contains(got, "/scene.Text  7.91 KiB") {
		t.Error(got)
	}
}

// No line is wider than the paper, down to 80 characters, and nothing in a snapshot is obeyed by a terminal.
func TestTextIsPlainAndNarrow(t *testing.T) {
	s, later := sample(), sample()
	const hostile = "\x1b[2J\n\x00\xff\u202eevil"
	for _, s := range []*poolrt.Snapshot{s, later} {
		p := &s.Pools[0]
		s.Program, p.Name, p.Allocator, p.Unit = strings.Repeat(hostile, 40), strings.Repeat(hostile, 40)+"x", hostile, "bytes"
		s.Sites[0].Frames = []poolrt.Frame{{Function: strings.Repeat(hostile, 30), File: hostile, Line: -1}}
		p.Stats = poolrt.Stats{Live: math.MaxInt64, LiveBytes: math.MinInt64, Reserved: math.MaxInt64 - 1, Limit: -1, LargestFree: 1, Cached: 1023 << 50}
		p.Chunks = append(p.Chunks, poolrt.ChunkSnapshot{Addr: math.MaxUint64, Size: math.MaxUint64, Pieces: poolrt.Pieces{live(0, math.MaxUint64, math.MaxUint64, 0, 1)}})
		p.Events[19].Site = math.MaxUint32
	}
	later.Pools[0].Chunks = later.Pools[0].Chunks[1:]
	for _, width := range []int{80, 100, 200} {
		for _, text := range []string{textOf(t, Paper{Width: width}, s), textOf(t, Paper{Width: width}, s, later), textOf(t, Paper{Width: width}, later, taken(time.Hour))} {
			if strings.ContainsAny(text, "\x1b\x00\u202e") {
				t.Errorf("%q", text)
			}
			for line := range strings.Lines(text) {
				if n := len([]rune(line)) - 1; n > width {
					t.Errorf("%d of %d: %s", n, width, line)
				}
			}
		}
	}
	for _, v := range []any{Of(s), Between(s, later)} {
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	}
}

// The JSON has these fields.
func TestJSONHasItsFields(t *testing.T) {
	fields := func(v any) map[string]any {
		t.Helper()
		text, err := json.Marshal(v)
		fatal.If(t, err)
		m := map[string]any{}
		fatal.If(t, json.Unmarshal(text, &m))
		return m
	}
	need := func(m map[string]any, names string) {
		t.Helper()
		for _, name := range strings.Fields(names) {
			if v, ok := m[name]; !ok || v == nil {
				t.Errorf("%s is %v in %v", name, v, m)
			}
		}
	}
	one := fields(Of(sample()))
	need(one, "program time debug pools")
	p := one["pools"].([]any)[0].(map[string]any)
	need(p, "name allocator suballocator concurrency ordering unit stats seen walked free fragmentation states chunks pending holders events")
	if got, want := p["states"], map[string]any{"live": map[string]any{"pieces": 2.0, "bytes": 8192.0}, "free": map[string]any{"pieces": 1.0, "bytes": 8192.0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	need(p["chunks"].([]any)[0].(map[string]any), "addr size states")
	need(p["holders"].([]any)[0].(map[string]any), "calls blocks bytes oldest newest addrs")
	need(p["events"].([]any)[0].(map[string]any), "number time kind addr bytes stream calls")
	empty := fields(Of(taken(0, pool("a"))))["pools"].([]any)[0].(map[string]any)
	need(empty, "states chunks pending holders events")
	two := fields(Between(sample(), sample()))
	need(two, "before after pools")
	need(two["pools"].([]any)[0].(map[string]any), "name unit before after known new gone new_by")
}

// The reason why a pool was not read is printed in full, however narrow the paper.
func TestNotWalkedIsNotCut(t *testing.T) {
	var b strings.Builder
	s := &poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{{PoolInfo: poolrt.PoolInfo{Name: "a.Pool", Unit: "bytes"}}}}
	fatal.If(t, Text(&b, s, Paper{Width: 60}))
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, memorymap.NotWalked) {
		t.Errorf("got %s", b.String())
	}
	for line := range strings.Lines(b.String()) {
		if len([]rune(line)) > 61 {
			t.Errorf("too wide: %s", line)
		}
	}
}
