//go:build explored

package poolimpl

import (
	"slices"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// Cases returns the programs to explore.
func Cases() []explore.Case {
	return slices.Concat(bitmapCases(), chunkMapCases(), directoryCases(), waiterCases(), fullCases(), growthCases(), streamCases(), driverCases(), countdownCases())
}
