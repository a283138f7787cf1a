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

// read reads a file that has to be of a known kind.
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
	live, seen := map[uint64]bool{}, map[uint64]bool{}
	for i, e := range log.Events {
		switch {
		case e.Free && !live[e.ID], !e.Free && seen[e.ID], !e.Free && e.Bytes == 0, e.Bytes > 1<<63-1, e.Stream > 1<<63-1, e.Micros > 1<<63-1:
			t.Fatalf("event %d of %d: %+v", i, len(log.Events), e)
		}
		live[e.ID], seen[e.ID] = !e.Free, true
	}
}

func TestUnknown(t *testing.T) {
	for _, text := range []string{"", "op,id,bytes,stream,time_us\n", "# a comment\n", "\x1f\x8b", "\x80", "{}", "Time,Action\n"} {
		if logs, known, err := Read("x", bufio.NewReader(strings.NewReader(text)), 10); known || logs != nil || err != nil {
			t.Errorf("%q: %v, %v, %v", text, logs, known, err)
		}
	}
}

// The ledger refuses more events than it may have, whatever they are.
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
