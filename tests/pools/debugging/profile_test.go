//go:build pooldebug

package debugging

import (
	"os"
	"path/filepath"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/pprof"
)

// go tool pprof can read the profile.
func TestPprofReadsLeaks(t *testing.T) {
	p := new(pools.HeapPool)
	for range 3 {
		if _, err := p.Alloc(1000); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "leaks.pb")
	f, err := os.Create(name)
	fatal.If(t, err)
	fatal.If(t, poolrt.WriteProfile(f, poolrt.Leaks(p)...))
	fatal.If(t, f.Close())
	for sample, want := range map[string]string{"bytes": "2.93kB", "blocks": "3"} {
		tells(t, pprof.Read(t, name, "-traces", "-sample_index="+sample), want, "debugging.TestPprofReadsLeaks", "pools.Heap")
	}
}
