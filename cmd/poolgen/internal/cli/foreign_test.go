package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A snapshot of PyTorch is a trace for each device. Notes report what a trace does not show, and an error what to do where there is none.
func TestSnapshotOfPyTorchIsTraces(t *testing.T) {
	var stderr bytes.Buffer
	p := &Process{Dir: t.TempDir(), Stderr: &stderr}
	if err := os.CopyFS(p.Dir, os.DirFS(filepath.Join("..", "foreign", "testdata"))); err != nil {
		t.Fatal(err)
	}
	traces, err := p.readTraces(t.Context(), []string{"devices4.pickle"})
	if err != nil || len(traces) != 2 || traces[0].Name != "devices4.pickle, device 0" || traces[1].Name != "devices4.pickle, device 2" || traces[1].Events() != 2 {
		t.Fatalf("%v, %v", traces, err)
	}
	if !strings.Contains(stderr.String(), "note: devices4.pickle, device 0: live at its end: 3 blocks, 3000 bytes\n") {
		t.Errorf("got %s", stderr.String())
	}
	if _, err := p.readTraces(t.Context(), []string{"unrecorded.pickle"}); err == nil || !strings.Contains(err.Error(), "torch.cuda.memory._record_memory_history()") {
		t.Errorf("got %v", err)
	}
}
