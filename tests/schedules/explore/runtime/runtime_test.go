package runtime

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// The processors are those of the exploration, and calls are those of the caller.
func TestReplacements(t *testing.T) {
	n := 0
	explore.Explore(explore.Options{Procs: 3}, explore.Program{Threads: []func(){func() { n = GOMAXPROCS(0) }}})
	if n != 3 {
		t.Errorf("%d processors, want 3", n)
	}
	pc := make([]uintptr, 1)
	Callers(1, pc)
	if f, _ := CallersFrames(pc).Next(); !strings.HasSuffix(f.Function, ".TestReplacements") {
		t.Errorf("the caller is %s", f.Function)
	}
}
