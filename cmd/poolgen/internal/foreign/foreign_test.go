package foreign

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// read reads a file, which must be of a known kind.
func read(t testing.TB, name, text string, most int) ([]Log, error) {
	t.Helper()
	logs, known, err := Read(name, bufio.NewReader(strings.NewReader(text)), most)
	if !known {
		t.Errorf("%s is of no known kind", name)
	}
	return logs, err
}

// fixture reads a file that Python has written.
func fixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shown writes events a line each: op, id, bytes, stream, microseconds, line.
func shown(log Log) string {
	var b strings.Builder
	for _, e := range log.Events {
		op := "a"
		if e.Free {
			op = "f"
		}
		fmt.Fprintf(&b, "%s %d %d %d %d :%d\n", op, e.ID, e.Bytes, e.Stream, e.Micros, e.Line)
	}
	return b.String()
}

// sound checks what a trace needs: each allocation has bytes and an id of its own, each free is of a live block, and time does not begin before 0.
func sound(t *testing.T, log Log) {
	t.Helper()
	live, seen := map[uint32]bool{}, map[uint32]bool{}
	for i, e := range log.Events {
		switch {
		case e.Free && !live[e.ID], !e.Free && seen[e.ID], !e.Free && e.Bytes == 0, e.Bytes > 1<<63-1, e.Stream > 1<<63-1, e.Micros > 1<<63-1:
			t.Fatalf("event %d of %d: %+v", i, len(log.Events), e)
		}
		live[e.ID], seen[e.ID] = !e.Free, true
	}
}

func TestOtherFilesAreLeftToOthers(t *testing.T) {
	for _, text := range []string{"", "op,id,bytes,stream,time_us\n", "# a comment\n", "\x1f\x8b", "\x80", "{}", "Time,Action\n"} {
		if logs, known, err := Read("x", bufio.NewReader(strings.NewReader(text)), 10); known || logs != nil || err != nil {
			t.Errorf("%q: %v, %v, %v", text, logs, known, err)
		}
	}
}

// The ledger refuses more events than its limit, whatever they are.
func TestLedgerIsBounded(t *testing.T) {
	for name, do := range map[string]func(l *ledger, i uint64) error{
		"blocks":        func(l *ledger, i uint64) error { return l.alloc(i, 1, moment{}) },
		"same address":  func(l *ledger, i uint64) error { return l.alloc(7, 1, moment{}) },
		"unknown frees": func(l *ledger, i uint64) error { return l.free(i, 1, moment{}) },
	} {
		l := newLedger(100)
		var err error
		n := uint64(0)
		for ; err == nil && n < 1000; n++ {
			err = do(l, n)
		}
		if err == nil || err.Error() != "more than 100 events" || l.size() > 101 {
			t.Errorf("%s: %d calls, %d events, %v", name, n, l.size(), err)
		}
	}
}

// A second free of a block does not imply an older block: it is left out and noted. A block whose address is handed out again was freed unseen, and
// its owner may free it later.
func TestSecondFreeIsLeftOut(t *testing.T) {
	head := "Thread,Time,Action,Pointer,Size,Stream\n"
	for name, test := range map[string]struct{ log, events, notes string }{
		"allocated here": {"allocate 10 100, free 10 100, free 10 100", "a 0 100, f 0 0", "left out, as their block was free already: 1 free"},
		"live before": {"free 10 100, free 10 100, free 10 100", "a 0 100, f 0 0",
			"live before its first event, and allocated at the beginning: 1 block, 100 bytes; left out, as their block was free already: 2 frees"},
		"freed unseen": {"allocate 10 100, allocate 10 200, free 10 100, free 10 200", "a 0 100, f 0 0, a 1 200, f 1 0",
			"freed unseen, when their address was handed out again: 1 block; left out, as their block was free already: 1 free"},
		"handed out again": {"allocate 10 100, free 10 100, allocate 10 300, free 10 300", "a 0 100, f 0 0, a 1 300, f 1 0", ""},
		"of no bytes":      {"allocate 10 100, free 10 100, allocate 10 0, free 10 0", "a 0 100, f 0 0", "left out, as they were of 0 bytes: 1 request"},
	} {
		text := head
		for _, line := range strings.Split(test.log, ", ") {
			f := strings.Fields(line)
			text += fmt.Sprintf("1,10:00:00.000001,%s,0x%s,%s,0x0\n", f[0], f[1], f[2])
		}
		logs, err := read(t, "r.csv", text, 100)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sound(t, logs[0])
		var events []string
		for line := range strings.Lines(shown(logs[0])) {
			events = append(events, strings.Join(strings.Fields(line)[:3], " "))
		}
		notes := strings.ReplaceAll(strings.Join(logs[0].Notes, "; "), "r.csv: ", "")
		if got := strings.Join(events, ", "); got != test.events || notes != test.notes {
			t.Errorf("%s: %s; %s", name, got, notes)
		}
	}
}

func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("testdata/*.pickle")
	if err != nil || len(names) < 6 {
		f.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		f.Add([]byte(fixture(f, filepath.Base(name))))
	}
	for _, text := range []string{rmmLog, oldLog} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		logs, _, err := Read("x", bufio.NewReader(bytes.NewReader(data)), 1000)
		if err != nil && (logs != nil || !strings.HasPrefix(err.Error(), "x:") && !strings.HasPrefix(err.Error(), "x, ")) {
			t.Fatalf("%v, %v", logs, err)
		}
		for _, log := range logs {
			if len(log.Events) == 0 || slices.ContainsFunc(log.Notes, func(n string) bool { return !strings.HasPrefix(n, "x") }) {
				t.Fatalf("%+v", log)
			}
			sound(t, log)
		}
	})
}
