//go:build !pooltrace && !race

package profile

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	tool "github.com/poolgen/poolgen/tests/pools/internal/pprof"
)

// onHeap is memory of Go.
var onHeap [][]byte

// grow allocates memory of Go that stays in use.
//
//go:noinline
func grow(n, times int) {
	for range times {
		onHeap = append(onHeap, make([]byte, n))
	}
}

// ofGo is how much the samples of Go's heap may add to a function of the test that calls a pool: the pool's own tables are on Go's heap, and a sample of them stands for half a MiB.
const ofGo = 2.0 // MB

// cumulative returns the MB in the fourth column, cum, of the function's line.
func cumulative(t *testing.T, top, function string) float64 {
	t.Helper()
	for line := range strings.Lines(top) {
		if f := strings.Fields(line); len(f) >= 6 && f[5] == "github.com/poolgen/poolgen/tests/pools/"+function {
			mb, err := strconv.ParseFloat(strings.TrimSuffix(f[3], "MB"), 64)
			fatal.If(t, err)
			return mb
		}
	}
	t.Fatalf("no line of %s in\n%s", function, top)
	return 0
}

// go tool pprof adds the profile to that of Go's heap: what pools hold is beside what Go holds, each with the calls that allocated it.
func TestMergesWithHeap(t *testing.T) {
	p := new(BoundedPool)
	t.Cleanup(func() { fatal.If(t, p.CloseForce()) })
	hold(t, p, 16*mib, 2)
	grow(8*mib, 3)
	runtime.GC() // the profile of the heap is as of the last collection
	heap := filepath.Join(t.TempDir(), "heap.pb.gz")
	f, err := os.Create(heap)
	fatal.If(t, err)
	fatal.If(t, pprof.WriteHeapProfile(f))
	fatal.If(t, f.Close())
	onHeap = nil
	for _, of := range []string{"inuse_space", "alloc_space"} {
		out := tool.Read(t, write(t), "-top", "-cum", "-unit=MB", "-sample_index="+of, heap)
		for function, want := range map[string]float64{"profile.hold": 32, "profile.(*BoundedPool).Alloc": 32, "profile.grow": 24} {
			if got := cumulative(t, out, function); got < want || got > want+ofGo {
				t.Errorf("%s of %s is %v MB, want %v and at most %v more of Go's own\n%s", of, function, got, want, ofGo, out)
			}
		}
	}
}
