//go:build pooldebug

package debugging

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

// go tool pprof reads what is written.
func TestProfile(t *testing.T) {
	p := new(pools.HeapPool)
	for range 3 {
		if _, err := p.Alloc(1000); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "leaks.pb")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := poolrt.WriteProfile(f, poolrt.Leaks(p)...); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for sample, want := range map[string]string{"bytes": "2.93kB", "blocks": "3"} {
		out, err := exec.Command("go", "tool", "pprof", "-traces", "-sample_index="+sample, name).CombinedOutput()
		if err != nil {
			t.Skipf("no pprof here: %v\n%s", err, out)
		}
		tells(t, string(out), want, "debugging.TestProfile", "pools.Heap")
	}
}
