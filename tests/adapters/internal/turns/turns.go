// Package turns compares two functions within one run of a benchmark.
package turns

import (
	"testing"
	"time"
)

// rounds is how often each side of a comparison is measured, in turns. The fastest round of each counts.
const rounds = 100

// Compare reports the time of a call of each function, and that of ours as a multiple of theirs. A round makes n calls.
func Compare(b *testing.B, n int, ours, theirs func()) {
	least := [2]time.Duration{time.Hour, time.Hour}
	for range rounds {
		for side, f := range []func(){ours, theirs} {
			start := time.Now()
			for range n {
				f()
			}
			least[side] = min(least[side], time.Since(start))
		}
	}
	for b.Loop() {
		ours()
	}
	b.ReportMetric(float64(least[0].Nanoseconds())/float64(n), "ours-ns")
	b.ReportMetric(float64(least[1].Nanoseconds())/float64(n), "theirs-ns")
	b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
}
