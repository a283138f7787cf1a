package memoryviz

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fixture is a snapshot of pools of several kinds, on the host and on a simulated device, of a program that was built with the tag pooltrace.
func fixture(t testing.TB) (*poolrt.Snapshot, []byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/pools.snapshot")
	if err != nil {
		t.Fatal(err)
	}
	s, err := poolrt.ReadSnapshot(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s, data
}

// left returns what is left out of a snapshot.
func left(s *poolrt.Snapshot) (list []string) {
	_ = Write(io.Discard, s, func(what string) { list = append(list, what) })
	return list
}

func TestPools(t *testing.T) {
	s, _ := fixture(t)
	v, err := view(s)
	if err != nil {
		t.Fatal(err)
	}
	chunks := 0
	states := map[string]int{}
	for _, p := range s.Pools {
		chunks += len(p.Chunks)
	}
	for _, x := range v.segments {
		if want := "pool:0:" + s.Pools[x.pool-1].Name; !slices.Equal(x.frames, []string{want}) {
			t.Errorf("segment at %#x has %q, want %q", x.addr, x.frames, want)
		}
		for _, b := range x.blocks {
			states[b.state]++
		}
	}
	actions := map[string]int{}
	for _, trace := range v.traces {
		for _, e := range trace {
			actions[e.name]++
		}
	}
	pending := actions["free_requested"] - actions["free_completed"]
	if len(v.traces) != 2 || len(v.segments) != chunks || states["active_pending_free"] != 10 || pending != 10 || actions["alloc"] < 250 {
		t.Errorf("%d devices, %d segments of %d chunks, blocks %v, events %v", len(v.traces), len(v.segments), chunks, states, actions)
	}
	want := []string{`16 events of pool "pools.Direct": the memory was given back since`, `the history of pool "pools.Frames": its blocks are not freed one by one (bump)`}
	if got := left(s); !slices.Equal(got, want) {
		t.Errorf("left out: %q", got)
	}
}

// pieces makes the pieces of a chunk from letters, ten bytes each, of which eight were requested: live, pending, free, cached, hole, waste.
func pieces(letters string) (list []poolrt.Piece) {
	states := map[rune]poolrt.PieceState{'l': poolrt.PieceLive, 'p': poolrt.PiecePending, 'f': poolrt.PieceFree, 'c': poolrt.PieceCached, 'h': poolrt.PieceHole, 'w': poolrt.PieceWaste}
	for i, letter := range letters {
		p := poolrt.Piece{Off: uint64(10 * i), Size: 10, State: states[letter]}
		if letter == 'l' || letter == 'p' {
			p.Asked = 8
		}
		list = append(list, p)
	}
	return list
}

// pool is one of bytes with chunks, by address.
func pool(name string, device int, chunks map[uint64]string) poolrt.PoolSnapshot {
	p := poolrt.PoolSnapshot{PoolInfo: poolrt.PoolInfo{Name: name, Unit: "bytes", Device: device, Suballocator: "heap"}, Walked: true}
	for addr, letters := range chunks {
		p.Chunks = append(p.Chunks, poolrt.ChunkSnapshot{Addr: addr, Size: uint64(10 * len(letters)), Pieces: pieces(letters)})
	}
	return p
}

// outlined shows the segments: device, pool, address, a letter for each block.
func (v viewed) outlined() (list []string) {
	letters := map[string]string{"active_allocated": "l", "active_pending_free": "p", "inactive": "-"}
	for _, s := range v.segments {
		text := fmt.Sprintf("%d %d %d ", s.device, s.pool, s.addr)
		for _, b := range s.blocks {
			text += letters[b.state]
		}
		if s.expandable {
			text += " part"
		}
		list = append(list, text)
	}
	return list
}

// Memory of the host is a device after the last one; chunks are split at holes. Pools without memory and pools that were not read are left out, and
// so is memory that two pools have.
func TestSegments(t *testing.T) {
	numbers := pool("numbers", -1, map[uint64]string{1: "l"})
	numbers.Unit = "numbers"
	closed := pool("closed", -1, nil)
	closed.Walked = false
	far := pool("far", mostDevice+1, map[uint64]string{1: "l"})
	s := &poolrt.Snapshot{Program: "p", Pools: []poolrt.PoolSnapshot{
		numbers, pool("host", -1, map[uint64]string{2000: "lpfcwl"}), closed, pool("virtual", 1, map[uint64]string{1000: "hhlfhlhh", 5000: "hh"}), pool("other", 1, map[uint64]string{1010: "ll", 1030: "l", 1060: "l"}),
	}}
	v, err := view(s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 5 1010 ll", "1 5 1030 l", "1 4 1050 l part", "1 5 1060 l", "2 2 2000 lp---l"}
	if got := v.outlined(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	want = []string{
		`pool "numbers": it hands out numbers, not memory`, `pool "closed": it was not looked at, as only its owner may (concurrency none)`,
		`pool "virtual": the memory at 0x3fc, which another pool had as well while the snapshot was taken`,
	}
	if got := left(s); !slices.Equal(got, want) {
		t.Errorf("left out: %q, want %q", got, want)
	}
	if got := left(&poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{far}}); !slices.Equal(got, []string{`pool "far": of device 1025`}) {
		t.Errorf("left out: %q", got)
	}
	v, err = view(&poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{far, pool("host", -1, map[uint64]string{1: "l"})}})
	if got := v.outlined(); err != nil || !slices.Equal(got, []string{"0 2 1 l"}) {
		t.Errorf("a pool that is left out counts as a device: %v, %q", err, got)
	}
}

// shown writes the history of a device, an event a word.
func (v viewed) shown(device int) string {
	var list []string
	for _, e := range v.traces[device] {
		list = append(list, fmt.Sprintf("%s:%d+%d@%d", e.name, e.addr, e.size, e.micros))
	}
	return strings.Join(list, " ")
}

// The history has the events that lead to the memory as it is shown, and no others.
func TestHistory(t *testing.T) {
	start := time.UnixMicro(1_000_000)
	at := func(micros int, kind poolrt.FlightKind, addr, bytes uint64) poolrt.FlightEvent {
		return poolrt.FlightEvent{Time: start.Add(time.Duration(micros) * time.Microsecond), Kind: kind, Addr: addr, Bytes: bytes}
	}
	p := pool("p", -1, map[uint64]string{1000: "lpfl"})
	p.Events = []poolrt.FlightEvent{
		at(0, poolrt.FlightFree, 1020, 8),  // live before the first event
		at(1, poolrt.FlightAlloc, 500, 8),  // in a chunk that is gone
		at(2, poolrt.FlightGrow, 0, 40),    // no block
		at(3, poolrt.FlightAlloc, 1010, 7), // freed on a stream later
		at(9, poolrt.FlightAlloc, 1020, 8), //
		at(8, poolrt.FlightFree, 1020, 8),  // the clock has gone back
		at(11, poolrt.FlightFree, 1010, 7),
		at(11, poolrt.FlightFree, 1010, 7), // refused
		at(12, poolrt.FlightAlloc, 1030, 9),
		at(13, poolrt.FlightFree, 1030, 9), // after the chunk was read
		at(14, poolrt.FlightAlloc, 1020, 8),
		at(15, poolrt.FlightAlloc, 1035, 20), // reaches out of the chunk
		at(16, poolrt.FlightReset, 0, 0),
	}
	other := pool("other", -1, map[uint64]string{2000: "l"})
	other.Events = []poolrt.FlightEvent{at(8, poolrt.FlightAlloc, 2000, 5)}
	v, err := view(&poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{p, other}})
	if err != nil {
		t.Fatal(err)
	}
	want := "free_requested:1020+8@1000000 free_completed:1020+8@1000000 alloc:1010+7@1000003 alloc:2000+5@1000008 alloc:1020+8@1000009 " +
		"free_requested:1020+8@1000008 free_completed:1020+8@1000008 free_requested:1010+7@1000011 alloc:1030+9@1000012"
	if got := v.shown(0); got != want {
		t.Errorf("got  %s", got)
	}
	if got := left(&poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{p}}); !slices.Equal(got, []string{`2 events of pool "p": the memory was given back since`}) {
		t.Errorf("left out: %q", got)
	}
}

// Calls are shown if they are known, with the pool after the last one.
func TestFrames(t *testing.T) {
	p := pool("app.Vertex", -1, map[uint64]string{1000: "ll"})
	p.Chunks[0].Pieces[1].Site = 1
	p.Events = []poolrt.FlightEvent{{Kind: poolrt.FlightAlloc, Addr: 1010, Bytes: 8, Stream: 7, Site: 1}}
	v, err := view(&poolrt.Snapshot{Pools: []poolrt.PoolSnapshot{p}, Sites: []poolrt.Site{{Frames: []poolrt.Frame{{Function: "app.load", File: "load.go", Line: 12}, {Function: "main.main", File: "main.go", Line: 3}}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"load.go:12:app.load", "main.go:3:main.main", "pool:0:app.Vertex"}
	blocks, e := v.segments[0].blocks, v.traces[0][0]
	if !slices.Equal(blocks[0].frames, want[2:]) || !slices.Equal(blocks[1].frames, want) || !slices.Equal(e.frames, want) || e.stream != 7 {
		t.Errorf("got %q, %q, %+v", blocks[0].frames, blocks[1].frames, e)
	}
}

func TestWriteFails(t *testing.T) {
	s, _ := fixture(t)
	r, w := io.Pipe()
	r.Close()
	if err := Write(w, s, func(string) {}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// Whatever a snapshot says, the viewer can undo the history.
func FuzzWrite(f *testing.F) {
	_, data := fixture(f)
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		f.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":"poolgen snapshot","version":1,"pools":[{"unit":"bytes","walked":true,"chunks":[{"addr":10,"size":9,"pieces":{"states":"lhp","sizes":[4,4,1],"asked":[1,1]}}],` +
		`"events":[{"kind":"alloc","addr":10,"bytes":1},{"kind":"free","addr":18,"bytes":1},{"kind":"free","addr":10,"bytes":1}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(text)
		z.Close()
		s, err := poolrt.ReadSnapshot(&b)
		if err != nil {
			return
		}
		if _, err := view(s); err != nil {
			t.Fatal(err)
		}
	})
}
