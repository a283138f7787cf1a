package traces

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// line is what poolgen replay prints of one pool and trace.
type line struct {
	Pool     string
	Trace    string
	Failures int
	Ratio    float64
}

// goals bounds the peak of the reserved bytes over the peak of the live bytes, for one definition of a pool on all traces.
var goals = map[string]float64{"gpt2_train": 1.15, "graphsage_train": 1.6, "llama_decode": 1.07, "vit_serve": 1.05}

// The generated pools serve the recorded traces without a failure, and the heap reserves hardly more than is live. The figures are
// those of the pools' own counters, and the same in every run.
func TestReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	if _, err := os.Stat("testdata"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the traces are a module of their own, which is there in a checkout, and not in the module cache")
	}
	files, err := filepath.Glob("testdata/*.csv.gz")
	if err != nil || len(files) != len(goals) {
		t.Fatalf("traces %v, %v", files, err)
	}
	args := []string{"run", "../../cmd/poolgen", "replay", "poolgen.yaml", "--format", "json"}
	for _, f := range files {
		args = append(args, "--trace", f)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 5*len(files) {
		t.Fatalf("%d lines for 5 pools and %d traces:\n%s", len(lines), len(files), out)
	}
	for _, text := range lines {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if l.Failures != 0 || l.Ratio < 1 {
			t.Errorf("%s on %s: %d failures, ratio %.3f", l.Pool, l.Trace, l.Failures, l.Ratio)
		}
		goal := goals[strings.TrimSuffix(filepath.Base(l.Trace), ".csv.gz")]
		if l.Pool == "Heap" && l.Ratio > goal {
			t.Errorf("Heap on %s: ratio %.3f, at most %.2f", l.Trace, l.Ratio, goal)
		}
	}
}
