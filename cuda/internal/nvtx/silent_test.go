package nvtx

import (
	"os"
	"testing"
)

// Without a profiler, and in builds that cannot load one, nothing happens.
func TestNobodyListens(t *testing.T) {
	if os.Getenv("NVTX_INJECTION64_PATH") != "" {
		t.Skip("somebody does")
	}
	if On() {
		t.Error("a profiler listens that nobody has named")
	}
	Mark("x")
	Push("x")
	Pop()
	NameStream(1, "x")
}
