package replay

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// gonePool is a pool that cannot be made.
const gonePool = `
type GonePool struct{ counts }

func NewGonePool(...poolrt.Option) (*GonePool, error) { return nil, errors.New("no such memory") }
func (p *GonePool) Alloc(int) ([]byte, error) { panic(0) }
func (p *GonePool) Free([]byte) error { panic(0) }
`

// Every trace runs through every pool, in their order. A pool that cannot be made is tried once, an error of the caller's ends the job, and nothing
// remains on disk.
func TestMeasure(t *testing.T) {
	large.Only(t) // runs the go command
	pools := strings.ReplaceAll(fakePools+gonePool+"\ntype Node struct{ a, b uint64 }\n", "PACKAGE", "p")
	changes, err := emit.Compare(t.Context(), emit.Dir{Base: t.TempDir(), Path: "."}, "poolgen.yaml", map[string][]byte{"poolgen.go": []byte(pools)}, lower.IsFile)
	fatal.If(t, err)
	var traces []*Trace
	for _, name := range []string{"a.csv", "b.csv"} {
		trace, err := readOne(name, strings.NewReader(TraceHeader+"\na,0,10,0,0\nf,0,10,0,0\n"))
		fatal.If(t, err)
		traces = append(traces, trace)
	}
	bytes := spec.Item{Kind: spec.ItemBytes, Type: "byte", Size: 1}
	job := Job{
		Go: gomod.Go{Environ: os.Environ()}, Dir: ".", Changes: changes, Plan: &spec.Plan{}, Traces: traces, Options: Options{Runs: 1, Goroutines: 1},
		Pools: []spec.Pool{
			{Name: "Gone", Suballocator: spec.Heap, Item: bytes},
			{Name: "Node", Suballocator: spec.Fixed, Item: spec.Item{Kind: spec.ItemUser, Type: "Node", Size: -1}},
			{Name: "Bytes", Suballocator: spec.Heap, Item: bytes},
		},
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var told []string
	say := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	over := errors.New("that is enough")
	err = job.Measure(t.Context(), say, func(pool *spec.Pool, trace *Trace, row Row) error {
		told = append(told, fmt.Sprintf("%s %s: %d served, %s", row.Pool, row.Trace, row.Allocs, row.Skipped))
		if pool.Name != row.Pool || trace.Name != row.Trace {
			t.Errorf("the row of %s and %s is that of %s and %s", pool.Name, trace.Name, row.Pool, row.Trace)
		}
		if row.Pool == "Bytes" {
			return over
		}
		return nil
	})
	if !errors.Is(err, over) {
		t.Errorf("got %v", err)
	}
	want := []string{
		"build 3 pools",
		"pool Gone, trace a.csv, 2 events: 1 of 6", "Gone a.csv: 0 served, no such memory",
		"pool Node, trace a.csv, 2 events: 3 of 6", "Node a.csv: 1 served, ",
		"pool Node, trace b.csv, 2 events: 4 of 6", "Node b.csv: 1 served, ",
		"pool Bytes, trace a.csv, 2 events: 5 of 6", "Bytes a.csv: 1 served, ",
	}
	if !slices.Equal(told, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
