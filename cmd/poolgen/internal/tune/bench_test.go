package tune

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// read makes a trace of lines of CSV.
func read(t *testing.T, name, lines string) *replay.Trace {
	t.Helper()
	traces, err := replay.ReadTraces(name, strings.NewReader(replay.TraceHeader+"\n"+lines))
	fatal.If(t, err)
	return traces[0]
}

// Legal candidates are built as real pools, and take turns on the traces. Nothing remains on disk.
func TestBench(t *testing.T) {
	large.Only(t) // runs the go command
	usual := Default("host")
	illegal, small := usual.with(Fit, "worst"), Candidate{Suballocator: "fixed", BlockSize: "1KiB"}
	traces := []*replay.Trace{read(t, "a.csv", "a,0,1000,0,0\nf,0,1000,0,1\n"), read(t, "b.csv", "a,0,5000,0,0\n"), read(t, "c.csv", "a,0,10,0,0\n")}
	above := t.TempDir() // the temporary directory lies in a module that is none of poolgen's business
	temp := filepath.Join(above, "temp")
	fatal.If(t, errors.Join(os.Mkdir(temp, 0o755), os.WriteFile(filepath.Join(above, "go.mod"), []byte("module above\n"), 0o644)))
	t.Setenv("TMPDIR", temp)
	var told []string
	dir, err := os.Getwd()
	fatal.If(t, err)
	b := Bench{
		Workspace: &workspace.Workspace{Dir: dir, Environ: os.Environ()},
		Go:        func([]spec.Pool) gomod.Go { return gomod.Go{Environ: os.Environ()} },
		Say:       func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) },
	}
	trials, err := b.Measure(t.Context(), []Candidate{usual, illegal, small}, traces, 2, nil)
	fatal.If(t, err)
	if len(trials) != 3 || trials[1].Candidate != illegal || trials[1].Rows != nil || !trials[0].served() || trials[2].served() {
		t.Fatalf("got %+v", trials)
	}
	if n := len(trials[0].Rows); n != 3 || trials[0].Rows[2].Trace != "c.csv" || trials[0].Rows[0].Allocs != 1 || trials[0].Rows[0].NSPerOp <= 0 {
		t.Errorf("the default pool has %+v", trials[0].Rows)
	}
	if n := len(trials[2].Rows); n != 2 || trials[2].Rows[1].Failures != 1 { // the last trace cannot change anything
		t.Errorf("blocks that are too small have %+v", trials[2].Rows)
	}
	want := []string{
		"generate and build 2 pools",
		"turn 1 of 2, pool 1 of 2: heap", "turn 1 of 2, pool 2 of 2: fixed, block_size 1KiB",
		"turn 2 of 2, pool 1 of 2: heap", "turn 2 of 2, pool 2 of 2: fixed, block_size 1KiB",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	told = nil
	if trials, err := b.Measure(t.Context(), []Candidate{illegal}, traces, 1, nil); err != nil || len(trials) != 1 || trials[0].Rows != nil || told != nil {
		t.Errorf("got %+v, %v; told %q", trials, err, told)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Of two turns, each trace has the one that took less time.
func TestQuickerTurnCounts(t *testing.T) {
	row := func(ns ...float64) (rows []replay.Row) {
		for _, n := range ns {
			rows = append(rows, replay.Row{NSPerOp: n})
		}
		return rows
	}
	if got := quicker(nil, row(1, 2)); !reflect.DeepEqual(got, row(1, 2)) {
		t.Errorf("of one turn: %+v", got)
	}
	if got := quicker(row(1, 5), row(3, 4)); !reflect.DeepEqual(got, row(1, 4)) {
		t.Errorf("of two turns: %+v", got)
	}
}

func TestLoadOfTraces(t *testing.T) {
	a, b := read(t, "a.csv", "a,0,64,0,0\na,1,64,0,0\nf,0,64,0,1\n"), read(t, "b.csv", "a,0,64,0,0\nf,0,64,0,1\n")
	if got := LoadOf([]*replay.Trace{a, b}); got != (Load{Largest: 64, OneSize: true, Peak: 64}) {
		t.Errorf("of one size: %+v", got)
	}
	c := read(t, "c.csv", "a,0,100,0,0\na,1,200,0,0\n")
	if got := LoadOf([]*replay.Trace{a, c}); got != (Load{Largest: 200, Peak: 128}) {
		t.Errorf("of several: %+v", got)
	}
}
