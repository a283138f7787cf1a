package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file that snapshot writes for PyTorch's viewer is a snapshot of PyTorch for replay and tune. Notes report what was left out, and what a trace
// does not show.
func TestSnapshotBecomesATrace(t *testing.T) {
	internal, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := &Process{Dir: t.TempDir(), Stdout: &stdout, Stderr: &stderr}
	run := func(args ...string) int {
		p.Args = args
		stderr.Reset()
		return Main(context.Background(), *p)
	}
	snapshot := filepath.Join(internal, "memoryviz", "testdata", "pools.snapshot")
	if code := run("snapshot", snapshot, "-o", "pools.pickle"); code != ExitDone || stdout.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	want := "note: left out: 16 events of pool \"pools.Direct\": the memory was given back since\n" +
		"note: left out: the history of pool \"pools.Frames\": its blocks are not freed one by one (bump)\n"
	if stderr.String() != want {
		t.Errorf("got %s", stderr.String())
	}
	stderr.Reset()
	traces, err := p.readTraces(t.Context(), []string{"pools.pickle"})
	if err != nil || len(traces) != 2 || traces[0].Name != "pools.pickle, device 0" || traces[0].Events() < 100 || traces[1].Events() < 300 {
		t.Fatalf("%v, %v", traces, err)
	}
	if !strings.Contains(stderr.String(), "note: pools.pickle, device 1: live before its first event, and allocated at the beginning: 1 block, 2240 bytes\n") {
		t.Errorf("got %s", stderr.String())
	}
	if code := run("snapshot", snapshot, "--pool", "pools.Item", "-o", "item.pickle"); code != ExitDone || stderr.Len() > 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if code := run("snapshot", snapshot, snapshot, "-o", "two.pickle"); code != ExitUsage || !strings.Contains(stderr.String(), ".pickle shows one snapshot") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if _, err := os.Stat(p.path("two.pickle")); err == nil {
		t.Error("something was written")
	}
	if code := run("tune", "--trace", filepath.Join(internal, "foreign", "testdata", "unrecorded.pickle")); code != ExitUsage || !strings.Contains(stderr.String(), "torch.cuda.memory._record_memory_history()") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
