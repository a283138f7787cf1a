//go:build explored

package poolimpl

import (
	"slices"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// Cases returns the programs to explore.
func Cases() []explore.Case {
	return slices.Concat(bitmapCases(), chunkMapCases(), directoryCases(), waiterCases(), fullCases(),
		growthCases(), streamCases(), driverCases(), countdownCases())
}

// both does one thing after the other.
func both(list ...func()) func() {
	return func() {
		for _, f := range list {
			f()
		}
	}
}

func newCase(subject, name string, setup, finish func(), threads ...func()) explore.Case {
	return explore.Case{Subject: subject, Name: name,
		Program: explore.Program{Setup: setup, Threads: threads, Finish: finish}}
}
