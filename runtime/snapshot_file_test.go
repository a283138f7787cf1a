package poolrt

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// snapshotSample returns a snapshot that sets each field.
func snapshotSample() *Snapshot {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	return &Snapshot{
		Time: at, Program: "example.com/app", Debug: true,
		Pools: []PoolSnapshot{
			{
				PoolInfo: PoolInfo{
					Name: "scene.Vertex", Allocator: "host", Requested: "pinned", Reason: "no driver", Suballocator: "heap", Fit: "good", Concurrency: "mutex",
					Ordering: "sync", Device: -1, Unit: "bytes", ItemSize: 4, ChunkSize: 1 << 20, MaxLimit: NoLimit, Budget: BudgetInfo{Name: "all", Limit: 1 << 30, Reserved: 1 << 20},
					Stats: Stats{Live: 2, LiveBytes: 150, Limit: NoLimit}, Seen: at,
				},
				Walked: true,
				Chunks: []ChunkSnapshot{{Addr: 1 << 47, Size: 400, Origin: 7, Pieces: Pieces{
					{Size: 100, Asked: 90, State: PieceLive, Since: 12345, Site: 1}, {Off: 100, Size: 30, State: PieceFree},
					{Off: 130, Size: 70, Asked: 60, State: PieceLive}, {Off: 200, Size: 50, Asked: 50, State: PiecePending},
					{Off: 250, Size: 50, State: PieceCached}, {Off: 300, Size: 50, State: PieceHole}, {Off: 350, Size: 50, State: PieceWaste},
				}}},
				Pending: []PendingFrees{{3, 0, 1, 50}}, Classes: []ClassStats{{Size: 100, Live: 1, Pending: 2, Free: 3, Reserved: 700}}, Events: []FlightEvent{{Number: 9, Time: at, Bytes: 90, Stream: 3, Site: 1}}, Free: 30, Fragmentation: 0.25,
			},
			{PoolInfo: PoolInfo{Name: "scene.Frame", Concurrency: "none", Seen: at}},
		},
		Sites: []Site{{Frames: []Frame{{"main.load", "load.go", 12, false}}}},
	}
}

func written(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	fatal.If(t, s.Write(&b))
	return b.Bytes()
}

// zipped returns a file with the given text.
func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

// text returns the text of a file.
func text(t testing.TB, file []byte) string {
	t.Helper()
	b, err := unzip(bytes.NewReader(file), snapshotText)
	fatal.If(t, err)
	return string(b)
}

func TestSnapshotFile(t *testing.T) {
	want := snapshotSample()
	got, err := ReadSnapshot(bytes.NewReader(written(t, want)))
	fatal.If(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
}

// TestSnapshotAdd: the sites of an added snapshot get new numbers; 0 stays no site.
func TestSnapshotAdd(t *testing.T) {
	s := &Snapshot{Sites: make([]Site, 3)}
	s.add(&Snapshot{Sites: make([]Site, 2), Pools: []PoolSnapshot{{
		Chunks: []ChunkSnapshot{{Pieces: Pieces{{Site: 2}, {Site: 0}}}}, Events: []FlightEvent{{Site: 1}, {Site: 0}},
	}}})
	if got := s.Pools[0].Chunks[0].Pieces; len(s.Sites) != 5 || got[0].Site != 5 || got[1].Site != 0 {
		t.Errorf("%d sites, pieces %+v", len(s.Sites), got)
	}
	if got := s.Pools[0].Events; got[0].Site != 4 || got[1].Site != 0 {
		t.Errorf("events %+v", got)
	}
}

// TestReadSnapshotRefuses: the error of a file that is not a snapshot names the place of the fault.
func TestReadSnapshotRefuses(t *testing.T) {
	good := text(t, written(t, snapshotSample()))
	change := func(old, new string) []byte {
		t.Helper()
		if strings.Count(good, old) == 0 {
			t.Fatalf("%q is not there", old)
		}
		return zipped(strings.Replace(good, old, new, 1))
	}
	whole := written(t, snapshotSample())
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":           {nil, "byte 0"},
		"no gzip":           {[]byte(good), "byte 0"},
		"cut":               {whole[:len(whole)/2], "unexpected EOF"},
		"empty":             {zipped(""), "byte 0"},
		"not JSON":          {zipped(good[:50] + "!" + good[50:]), "byte"},
		"more behind it":    {zipped(good + "{}"), "byte"},
		"another format":    {change(`"poolgen snapshot"`, `"poolgen trace"`), "poolgen trace"},
		"later version":     {change(`"version":1`, `"version":2`), "version 2"},
		"a word for a size": {change(`"chunk_size":1048576`, `"chunk_size":"1M"`), "chunk_size of type int64"},
		"unknown state":     {change(`"lflpchw"`, `"lflpchx"`), "piece 6"},
		"a state too few":   {change(`"lflpchw"`, `"lflpch"`), "6 states with 7 sizes"},
		"no size":           {change(`"sizes":[100,30,`, `"sizes":[100,0,`), "piece 1"},
		"sizes go round":    {change(`"sizes":[100,30,`, `"sizes":[100,18446744073709551600,`), "piece 1"},
		"more than it has":  {change(`"asked":[90`, `"asked":[101`), "101 asked"},
		"asked is missing":  {change(`"asked":[90,60,50]`, `"asked":[90,60]`), "2 of 3 blocks"},
		"sites are missing": {change(`,"sites":[1,0]`, ``), "2 and 0 of 2"},
		"site that is none": {change(`"sites":[1,0]`, `"sites":[2,0]`), "site 2 of 1"},
		"event of no site":  {change(`"stream":3,"site":1`, `"stream":3,"site":2`), "event 0: site 2 of 1"},
		"chunk not covered": {change(`"size":400`, `"size":401`), "400 in 401"},
		"fragmentation":     {change(`"fragmentation":0.25`, `"fragmentation":1.5`), "1.5"},
	} {
		s, err := ReadSnapshot(bytes.NewReader(test.file))
		if s != nil || !errors.Is(err, ErrBadSnapshot) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "byte ") {
			t.Errorf("%s: %v, %v, want %q", name, s, err, test.want)
		}
	}
	_, err := ReadSnapshot(bytes.NewReader(change(`"lflpchw"`, `"lflpchx"`)))
	if at := strings.Index(good, `{"states"`); !strings.Contains(err.Error(), limitText(int64(at))) {
		t.Errorf("%v, want byte %d", err, at)
	}
	if _, err := ReadSnapshot(bytes.NewReader(change(`"walked"`, `"later":{"a":[1]},"walked"`))); err != nil {
		t.Errorf("a field of a later program: %v", err)
	}
}

// TestUnzipIsBounded: of a small file with a huge text, unzip reads no more than the bound.
func TestUnzipIsBounded(t *testing.T) {
	const most = 1 << 20
	file := bytes.NewReader(zipped(strings.Repeat(" ", 64*most)))
	text, err := unzip(file, most)
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") || cap(text) > 4*most || file.Len() < int(file.Size())/2 {
		t.Errorf("%v with %d bytes, %d of %d left", err, cap(text), file.Len(), file.Size())
	}
	if text, err = unzip(bytes.NewReader(zipped(strings.Repeat(" ", most))), most); err != nil || len(text) != most {
		t.Errorf("%v with %d bytes", err, len(text))
	}
}

// FuzzReadSnapshot: any data is refused, or gives a snapshot that is the same after it was written and read.
func FuzzReadSnapshot(f *testing.F) {
	good := text(f, written(f, snapshotSample()))
	f.Add([]byte(good))
	f.Add([]byte(`{"format":"poolgen snapshot","version":1,"pools":[{"chunks":[{"size":3,"pieces":{"states":"lf","sizes":[1,2],"asked":[1]}}]}]}`))
	f.Add([]byte(`{"format":"poolgen snapshot","version":1,"pools":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := ReadSnapshot(bytes.NewReader(data)); err != nil && !errors.Is(err, ErrBadSnapshot) {
			t.Fatal(err)
		}
		s, err := ReadSnapshot(bytes.NewReader(zipped(string(data))))
		if err != nil {
			if !errors.Is(err, ErrBadSnapshot) {
				t.Fatal(err)
			}
			return
		}
		first := written(t, s)
		again, err := ReadSnapshot(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("%v of %s", err, text(t, first))
		}
		if second := written(t, again); !bytes.Equal(first, second) {
			t.Errorf("%s, then %s", text(t, first), text(t, second))
		}
	})
}
