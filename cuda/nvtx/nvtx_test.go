//go:build cgo && linux && (amd64 || arm64)

package nvtx_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/fake"
	"github.com/poolgen/poolgen/cuda/nvtx"
)

// Ranges of goroutines nest, each on a thread of its own. A process looks for a profiler once. Therefore the test runs again in a process that has one.
func TestRangesNest(t *testing.T) {
	if !fake.Inside(t) {
		heard := filepath.Join(t.TempDir(), "heard")
		fake.Again(t, "NVTX_INJECTION64_PATH="+fake.Library(t, "../internal/nvtx/testdata/listener.c"), "POOLGEN_TEST_HEARD="+heard)
		got, err := os.ReadFile(heard)
		if want := "push outer\npush inner\nmark here\npop\npop\nstream ab copies\n"; err != nil || string(got) != want {
			t.Errorf("the profiler heard %q, %v", got, err)
		}
		return
	}
	if !nvtx.Enabled() {
		t.Error("no profiler")
	}
	var one sync.WaitGroup
	one.Go(func() {
		nvtx.RangePush("outer")
		defer nvtx.RangePop()
		nvtx.RangePush("inner")
		defer nvtx.RangePop()
		nvtx.Mark("here")
	})
	one.Wait()
	nvtx.NameStream(0xab, "copies")
}
