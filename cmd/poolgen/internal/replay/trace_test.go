package replay

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay/harness"
	"github.com/poolgen/poolgen/tests/fatal"
)

// readOne reads a file that has one trace.
func readOne(name string, r io.Reader) (*Trace, error) {
	traces, err := ReadTraces(name, r)
	if err != nil {
		return nil, err
	}
	return traces[0], nil
}

func TestReadTrace(t *testing.T) {
	text := "\ufeff# recorded\r\n" + TraceHeader + "\r\na,7,10,0,0\n# between\na,9,20,400,5\n\nf,7,10,0,6\na,7,30,0,7\nf,9,0,0,8\n"
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(text))
	w.Close()
	for name, content := range map[string]string{"plain": text, "gzip": zipped.String()} {
		trace, err := readOne("t.csv", strings.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if trace.Events() != 5 || trace.Slots != 2 {
			t.Errorf("%s: %d events in %d slots", name, trace.Events(), trace.Slots)
		}
		wantCodes, wantSizes := []uint32{0, 2, 1, 0, 3}, []uint64{10, 20, 0, 30, 0}
		for i, code := range trace.Codes {
			if code != wantCodes[i] || trace.Sizes[i] != wantSizes[i] {
				t.Errorf("%s: event %d is %d, %d", name, i, code, trace.Sizes[i])
			}
		}
		if wantOn, wantTimes := []uint16{0, 1, 0, 0, 0}, []uint64{0, 5, 6, 7, 8}; trace.Streams != 2 || !slices.Equal(trace.On, wantOn) || !slices.Equal(trace.Times, wantTimes) {
			t.Errorf("%s: %d streams %v, times %v", name, trace.Streams, trace.On, trace.Times)
		}
		if trace.Line(2) != 7 {
			t.Errorf("%s: event 2 is on line %d", name, trace.Line(2))
		}
	}
}

func TestReadTraceErrors(t *testing.T) {
	head := TraceHeader + "\n"
	tests := []struct{ text, err string }{
		{"", "t.csv:1: no header line op,id,bytes,stream,time_us"},
		{"# only a comment\n", "t.csv:1: no header line op,id,bytes,stream,time_us"},
		{"a,0,1,0,0\n", `t.csv:1: want the header line op,id,bytes,stream,time_us, got "a,0,1,0,0"`},
		{head, "t.csv:1: the trace has no events"},
		{"# pool \"w.Nope\"\n" + head, "t.csv:2: the trace has no events: what was recorded is w.Nope alone, by RecordPool; is that the name in the program's Pools()?"},
		{"# pool \"w.\\x1b[2J\"\n# pool \"" + strings.Repeat("x", 4000) + "\"\n" + head, "t.csv:3: the trace has no events: what was recorded is w.?[2J and " + strings.Repeat("x", 986) +
			"... alone, by RecordPool; is that the name in the program's Pools()?"},
		{strings.Repeat("# pool \"w.P\"\n", maxPools+1) + head, "t.csv:4097: more than 4096 pools"},
		{head + "a,0,1,0\n", "t.csv:2: want the 5 fields op,id,bytes,stream,time_us, got 4"},
		{head + "a,0,1,0,0,0\n", "t.csv:2: want the 5 fields op,id,bytes,stream,time_us, got 6"},
		{head + "x,0,1,0,0\n", `t.csv:2: op "x" is neither a (alloc) nor f (free)`},
		{head + "a,0,0,0,0\n", "t.csv:2: alloc of 0 bytes"},
		{head + "a,0,-1,0,0\n", `t.csv:2: bytes "-1" is not a number from 0 to 9223372036854775807`},
		{head + "a,0,9223372036854775808,0,0\n", `t.csv:2: bytes "9223372036854775808" is not a number from 0 to 9223372036854775807`},
		{head + "a,,1,0,0\n", `t.csv:2: id "" is not a number from 0 to 9223372036854775807`},
		{head + "a,0,1,0,x\n", `t.csv:2: time_us "x" is not a number from 0 to 9223372036854775807`},
		{head + "# c\na,0,1,0,0\na,0,1,0,0\n", "t.csv:4: id 0 is live already, since line 3"},
		{head + "f,3,1,0,0\n", "t.csv:2: free of id 3, which is not live"},
		{head + "a,0,1,0,0\nf,0,1,0,0\nf,0,1,0,0\n", "t.csv:4: free of id 0, which is not live"},
		{head + "a,0,1,0,0\nf,0,2,0,0\n", "t.csv:3: free of id 0 with 2 bytes, but line 2 allocated 1"},
		{head + strings.Repeat("x", 2*maxLine), "t.csv:2: line longer than 4096 bytes"},
		{"\x1f\x8bnot gzip", "t.csv: gzip: invalid header"},
	}
	for _, test := range tests {
		if _, err := readOne("t.csv", strings.NewReader(test.text)); err == nil || err.Error() != test.err {
			t.Errorf("%.40q: got %v, want %s", test.text, err, test.err)
		}
	}
}

// A recorder need not know the size of a block that is freed.
func TestFreeWithoutBytes(t *testing.T) {
	for _, bytes := range []string{"", "0", "7"} {
		trace, err := readOne("t.csv", strings.NewReader(TraceHeader+"\na,0,7,0,0\nf,0,"+bytes+",0,0\n"))
		if err != nil || trace.Events() != 2 {
			t.Errorf("bytes %q: %v", bytes, err)
		}
	}
}

func TestTruncatedGzip(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(TraceHeader + "\na,0,1,0,0\n"))
	w.Close()
	_, err := readOne("t.csv", bytes.NewReader(zipped.Bytes()[:zipped.Len()-9]))
	if err == nil || !strings.HasPrefix(err.Error(), "t.csv:") {
		t.Errorf("got %v", err)
	}
}

// foreignFile reads a file of another program.
func foreignFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "foreign", "testdata", name))
	fatal.If(t, err)
	return data
}

// rmmLog is a log of RMM.
const rmmLog = "Thread,Time,Action,Pointer,Size,Stream\n1,10:00:00.000001,allocate,0x10,7,0x0\n1,10:00:00.000005,free,0x10,7,0xff\n"

// The content identifies the file of another program, compressed or not. A snapshot of PyTorch becomes a trace for each device.
func TestReadTracesOfOthers(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		read := func(data []byte) []*Trace {
			var b bytes.Buffer
			b.Write(data)
			if compressed {
				b.Reset()
				w := gzip.NewWriter(&b)
				w.Write(data)
				w.Close()
			}
			traces, err := ReadTraces("file", &b)
			fatal.If(t, err)
			return traces
		}
		log := read([]byte(rmmLog))
		if len(log) != 1 || log[0].Name != "file" || log[0].Notes != nil || !slices.Equal(log[0].Codes, []uint32{0, 1}) || !slices.Equal(log[0].Sizes, []uint64{7, 0}) ||
			!slices.Equal(log[0].On, []uint16{0, 1}) || !slices.Equal(log[0].Times, []uint64{0, 4}) || log[0].Line(1) != 3 {
			t.Errorf("of a log: %+v", log[0])
		}
		devices := read(foreignFile(t, "devices4.pickle"))
		if len(devices) != 2 || devices[0].Name != "file, device 0" || len(devices[0].Notes) != 5 || devices[0].Events() != 11 || devices[0].Slots != 4 || devices[0].Streams != 2 ||
			devices[1].Name != "file, device 2" || devices[1].Events() != 2 || devices[1].Line(1) != 3 {
			t.Errorf("of a snapshot: %+v, %+v", *devices[0], *devices[1])
		}
	}
	if _, err := ReadTraces("file", bytes.NewReader(foreignFile(t, "unrecorded.pickle"))); err == nil || !strings.Contains(err.Error(), "_record_memory_history()") {
		t.Errorf("got %v", err)
	}
	var streams strings.Builder
	streams.WriteString(rmmLog)
	for i := range maxStreams {
		fmt.Fprintf(&streams, "1,10:00:01.000000,allocate,0x%x,7,0x%x\n", 16*(i+2), 16*(i+2))
	}
	if _, err := ReadTraces("file", strings.NewReader(streams.String())); err == nil || err.Error() != "file:65538: more than 65536 streams" {
		t.Errorf("got %v", err)
	}
}

func FuzzReadTrace(f *testing.F) {
	for _, text := range []string{
		"\na,0,1,0,0\nf,0,1,0,1\n", "\r\n# comment\r\na,7,9,1,2\r\na,8,9,1,3\r\nf,7,,1,4\r\na,7,1,0,5\r\n", "\na,0,9223372036854775807,0,0\nf,0,0,0,0\nf,0,0,0,0\n",
	} {
		f.Add([]byte(TraceHeader + text))
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		w.Write([]byte(TraceHeader + text))
		w.Close()
		f.Add(zipped.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := readOne("t", bytes.NewReader(data))
		if err != nil {
			return
		}
		live := make([]bool, trace.Slots)
		for i, code := range trace.Codes {
			slot, free := code>>1, code&1 != 0
			if live[slot] != free || free != (trace.Sizes[i] == 0) {
				t.Fatalf("event %d: slot %d live %v, free %v", i, slot, live[slot], free)
			}
			live[slot] = !free
		}
		file := filepath.Join(t.TempDir(), "tape")
		fatal.If(t, os.WriteFile(file, trace.Encode(), 0o644))
		if _, err := harness.Load(file); err != nil {
			t.Fatalf("the harness cannot read it: %v", err)
		}
	})
}
