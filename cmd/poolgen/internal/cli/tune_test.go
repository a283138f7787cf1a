package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/tune"
	"github.com/poolgen/poolgen/tests/fatal"
)

// found is the outcome of a search on two traces: the default pool, one that takes less memory, and one that takes less time.
func found(pick int, name string) tuned {
	output := format{value: name}
	trial := func(c tune.Candidate, ratio, ns float64) tune.Trial {
		row := replay.Row{Allocs: 10, Frees: 10, Ratio: ratio, NSPerOp: ns, PoolNSPerOp: ns / 2, DriverCalls: 4}
		return tune.Trial{Candidate: c, Rows: []replay.Row{row, row}}
	}
	usual := tune.Default("host")
	small, fast := usual, usual
	small[tune.Trim], fast[tune.Fit] = "{keep: 0B}", "best"
	finals := []tune.Trial{trial(usual, 1.5, 50), trial(small, 1.1, 300), trial(fast, 2, 20)}
	o := tune.Outcome{Tried: 9, Finals: finals, Front: []int{1, 0, 2}, Pick: pick, Bound: tune.Bound{NS: 400}}
	if pick >= 0 {
		o.Choices = []tune.Choice{{Key: "trim", Value: "{keep: 0B}", Without: finals[0], Ratio: -0.4, Time: 250}}
	}
	traces := []*replay.Trace{{Name: "a.csv"}, {Name: "b.csv"}}
	return tuned{Outcome: o, o: tuneOptions{format: &output, traces: []string{"a.csv", "b.csv"}}, traces: traces}
}

func printed(t *testing.T, f tuned) (stdout, stderr string, err error) {
	t.Helper()
	var out, notes bytes.Buffer
	p := &Process{Stdout: &out, Stderr: &notes}
	fatal.If(t, p.printTuned(f))
	if f.Pick < 0 {
		err = p.unbound(f)
	}
	return out.String(), notes.String(), err
}

// A single trace is singular in the text, and a difference of 0 has no sign.
func TestTunedTextOfOneTrace(t *testing.T) {
	f := found(1, textFormat)
	f.traces = f.traces[:1]
	for i := range f.Finals {
		f.Finals[i].Rows = f.Finals[i].Rows[:1]
	}
	f.Choices[0].Without, f.Choices[0].Ratio, f.Choices[0].Time = f.Finals[0], 0.0001, 0
	got, _, _ := printed(t, f)
	for _, want := range []string{"9 pools on 1 trace, for", "without it the ratio is 1.500 (0.000) and an operation takes 50 ns (0)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestTunedText(t *testing.T) {
	f := found(1, textFormat)
	f.held = []tune.Trial{f.Finals[0], f.Finals[1]}
	f.held[1].Rows[0].Trace = "c.csv"
	got, _, _ := printed(t, f)
	for _, want := range []string{
		"9 pools on 2 traces, for the least bytes in no more time than the default pool takes, 400 ns per operation\n",
		"     *  1.100    300          150                 200  heap, trim {keep: 0B}\n",
		"default  1.500     50           25                 200  heap\n",
		"  trim: {keep: 0B}  without it the ratio is 1.500 (+0.400) and an operation takes 50 ns (-250)\n",
		"On traces held out:\n  c.csv  ratio 1.100, 300 ns/op  default pool: 1.500, 50 ns/op\n",
		"\n# Traces do not know the pool's name, limit, concurrency or adapters: put in yours.\nversion: 1\npools:\n  - name: Tuned\n    suballocator: heap\n    trim: {keep: 0B}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestTunedJSON(t *testing.T) {
	got, _, _ := printed(t, found(1, "json"))
	var all struct {
		Tried    int
		MaxNS    float64 `json:"max_ns"`
		Default  tunedPool
		Front    []tunedPool
		Pick     *tunedPool
		Choices  []tunedChoice
		HeldOut  []tunedHeldOut `json:"held_out"`
		Settings string
	}
	if err := json.Unmarshal([]byte(got), &all); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if all.Tried != 9 || all.MaxNS != 400 || len(all.Front) != 3 || all.Pick == nil || all.Pick.Ratio != 1.1 || all.Default.NSPerOp != 50 || len(all.Choices) != 1 || all.HeldOut == nil {
		t.Errorf("got %s", got)
	}
}

func TestTunedYAML(t *testing.T) {
	if got, _, _ := printed(t, found(2, yamlFormat)); got != "# Traces do not know the pool's name, limit, concurrency or adapters: put in yours.\nversion: 1\npools:\n  - name: Tuned\n    suballocator: heap\n    fit: best\n" {
		t.Errorf("got %s", got)
	}
}

// If no candidate stays within the bound, the error names the nearest, and the exit code is that of a failure.
func TestTunedUnbound(t *testing.T) {
	for _, format := range []string{textFormat, "json", yamlFormat} {
		f := found(-1, format)
		f.Bound.NS = 3
		out, notes, err := printed(t, f)
		var code status
		if !errors.As(err, &code) || int(code) != ExitFindings || !strings.Contains(notes, "no pool that was tried stays within 3 ns per operation; the fastest takes 20: heap, fit best") {
			t.Errorf("%s: %v, %s", format, err, notes)
		}
		if format == yamlFormat && out != "" || format == "json" && !strings.Contains(out, `"pick":null`) {
			t.Errorf("%s: %s", format, out)
		}
	}
	f := found(-1, textFormat)
	f.Bound = tune.Bound{Ratio: 1.05}
	if _, notes, _ := printed(t, f); !strings.Contains(notes, "no pool that was tried stays within a ratio of 1.050; the nearest has 1.100: heap, trim {keep: 0B}") {
		t.Errorf("got %s", notes)
	}
}

func TestTuneChart(t *testing.T) {
	f := found(1, textFormat)
	svg := f.chart()
	for _, want := range []string{"<svg", "a.csv, b.csv", "ns per operation", ">heap<", ">default pool<", "<polyline"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in the chart", want)
		}
	}
}
