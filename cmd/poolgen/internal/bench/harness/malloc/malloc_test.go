//go:build cgo

package main

import (
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench/harness"
)

// Each way to call malloc runs its load, and can get a block as large as a chunk.
func TestPeers(t *testing.T) {
	for _, p := range peers() {
		for _, c := range []harness.Case{{Name: "churn", Live: 10, Threads: 2}, {Name: "batch", Live: 64, Threads: 1}} {
			loads := harness.Work{Case: c, Sizes: harness.Sizes{Least: 1, Most: 5000}, Item: 8}.Loads()
			workers, end, err := p.Open(loads)
			if err != nil || len(workers) != c.Threads {
				t.Fatalf("%s: %d workers, %v", p.Name, len(workers), err)
			}
			for _, w := range workers {
				if done, err := w(1000); err != nil || done < 1000 || done > 1063 {
					t.Errorf("%s, %s: %d done, %v", p.Name, c, done, err)
				}
			}
			if err := end(); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
		if took, err := p.Once(1 << 20); err != nil || took <= 0 {
			t.Errorf("%s: %v, %v", p.Name, took, err)
		}
	}
}
