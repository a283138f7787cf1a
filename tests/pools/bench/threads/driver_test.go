//go:build cudasim

package threads

import (
	"testing"

	"github.com/poolgen/poolgen/cuda/sim"
)

// The sessions of the driver's allocators free all that they allocate.
func TestDrivers(t *testing.T) {
	sim.Reset(sim.Config{Schedule: 1})
	all := drivers()
	if len(all) != 8 {
		t.Errorf("%d subjects", len(all))
	}
	for _, s := range all {
		for what, start := range map[string]func(int) session{"own": s.start, "moved": s.moved} {
			if start == nil {
				continue
			}
			one := start(2)
			for range 100 {
				for _, w := range one.workers {
					if done := w(1); done != few {
						t.Fatalf("%s, %s: %d done", s.name, what, done)
					}
				}
			}
			one.end()
		}
	}
	for _, f := range sim.Findings() {
		t.Error(f)
	}
}
