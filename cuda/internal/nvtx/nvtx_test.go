//go:build cgo && linux && (amd64 || arm64)

package nvtx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/fake"
)

// A process looks for a profiler once. Therefore the test runs again in a process of its own that has one.
func TestProfilerHears(t *testing.T) {
	if fake.Inside(t) {
		Push("outer")
		Mark("here")
		Pop()
		NameStream(0xab, "copies")
		return
	}
	heard := filepath.Join(t.TempDir(), "heard")
	fake.Again(t, "NVTX_INJECTION64_PATH="+fake.Library(t, "testdata/listener.c"), "POOLGEN_TEST_HEARD="+heard)
	got, err := os.ReadFile(heard)
	if want := "push outer\nmark here\npop\nstream ab copies\n"; err != nil || string(got) != want {
		t.Errorf("the profiler heard %q, %v", got, err)
	}
}
