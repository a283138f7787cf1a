package pipeline

import (
	"testing"
)

// A million numbers go through a ring of a quarter as much, and come back right.
func TestScale(t *testing.T) {
	machine(t)
	in, out := make([]float32, 1<<20+1000), make([]float32, 1<<20+1000)
	for i := range in {
		in[i] = float32(i)
	}
	for _, factor := range []float32{2, 0.5} {
		if err := Scale(out, in, factor, 0); err != nil {
			t.Fatal(err)
		}
		for i := range out {
			if out[i] != in[i]*factor {
				t.Fatalf("number %d is %v, want %v", i, out[i], in[i]*factor)
			}
		}
	}
	if n := DefaultBatchPool().Stats().Chunks; n != 1 {
		t.Errorf("%d chunks of device memory, want 1 for all pieces", n)
	}
	requested, effective, reason := Memory()
	t.Logf("asked for %s, got %s %s", requested, effective, reason)
	if requested != "device_async" || (effective == requested) != (reason == "") {
		t.Errorf("asked for %s, got %s: %q", requested, effective, reason)
	}
	if err := Close(); err != nil {
		t.Fatal(err)
	}
	reopen()
}

// reopen makes the package's pools as they were in the beginning, for the next test.
func reopen() { stageDefault, batchDefault = StagePool{}, BatchPool{} }
