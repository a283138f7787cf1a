package vettest_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
)

// shared are the programs that belong to no rule.
var shared = []string{"hostile", "lookup", "phases", "quiet", "resets", "unexported"}

// Each program is run: by the rule that it is named after, or by all rules together.
func TestEachProgramBelongsToARule(t *testing.T) {
	for _, name := range vettest.Programs(t) {
		ofRule := slices.ContainsFunc(vet.Analyzers(), func(a *analysis.Analyzer) bool { return a.Name == name })
		if ofRule == slices.Contains(shared, name) {
			t.Errorf("program %s is named after no rule", name)
		}
	}
}
