package modelmemory

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
	Pool        string
	Trace       string
	Failures    int
	Ratio       float64
	DriverCalls int `json:"driver_calls"`
	Allocs      int
}

// goals bounds the peak of the reserved bytes over the peak of the live bytes.
var goals = map[string]map[string]float64{
	"Virtual": {"gpt2_train": 1.01, "graphsage_train": 1.05, "llama_decode": 1.01, "vit_serve": 1.05},
	"Plain":   {"gpt2_train": 1.10, "graphsage_train": 1.10, "llama_decode": 1.10, "vit_serve": 1.30},
}

// The generated pools serve the recorded traces on the simulated driver, hardly reserve more than is live, and do not call the driver for it each time.
func TestReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	if _, err := os.Stat("../traces/testdata"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the traces are a module of their own, which is there in a checkout, and not in the module cache")
	}
	files, err := filepath.Glob("../traces/testdata/*.csv.gz")
	if err != nil || len(files) != 4 {
		t.Fatalf("traces %v, %v", files, err)
	}
	args := []string{"run", "../../cmd/poolgen", "replay", "poolgen.yaml", "--format", "json"}
	for _, f := range files {
		args = append(args, "--trace", f)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -tags=cudasim")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 8 {
		t.Fatalf("%d lines for 2 pools and 4 traces:\n%s", len(lines), out)
	}
	for _, text := range lines {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		goal := goals[l.Pool][strings.TrimSuffix(filepath.Base(l.Trace), ".csv.gz")]
		if l.Failures != 0 || l.Ratio < 1 || l.Ratio > goal {
			t.Errorf("%s on %s: %d failures, ratio %.3f, at most %.2f", l.Pool, l.Trace, l.Failures, l.Ratio, goal)
		}
		if 6*l.DriverCalls > 2*l.Allocs && !strings.Contains(l.Trace, "vit_serve") { // whose blocks are pages, mostly, and change their sizes
			t.Errorf("%s on %s: %d calls of the driver for %d allocations", l.Pool, l.Trace, l.DriverCalls, l.Allocs)
		}
	}
}
