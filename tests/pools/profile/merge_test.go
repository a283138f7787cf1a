//go:build !pooltrace && !race

package profile

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

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

// go tool pprof adds the profile to that of Go's heap: what pools hold is beside what Go holds, each with the calls that allocated it.
func TestMergesWithHeap(t *testing.T) {
	p := new(BoundedPool)
	hold(t, p, 16*mib, 2)
	grow(8*mib, 3)
	runtime.GC() // the profile of the heap is as of the last collection
	heap := filepath.Join(t.TempDir(), "heap.pb.gz")
	f, err := os.Create(heap)
	check(t, err)
	check(t, pprof.WriteHeapProfile(f))
	check(t, f.Close())
	onHeap = nil
	for _, of := range []string{"inuse_space", "alloc_space"} {
		out := tool.Read(t, write(t), "-top", "-cum", "-unit=MB", "-sample_index="+of, heap)
		for function, want := range map[string]string{"profile.hold": " 32MB ", "profile.(*BoundedPool).Alloc": " 32MB ", "profile.grow": " 24MB "} {
			line := ""
			for l := range strings.Lines(out) {
				if strings.HasSuffix(strings.TrimSpace(l), function) {
					line = l
				}
			}
			if !strings.Contains(line, want) {
				t.Errorf("%s of %s is not%sin %q\n%s", of, function, want, line, out)
			}
		}
	}
	check(t, p.CloseForce())
}
