package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/blocks"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// Analyzers are all rules. The name of each is its flag with go vet.
func Analyzers() []*analysis.Analyzer { return analyzers }

var analyzers = append(rules, rule.Unused(rules))

// rules are the rules that report through package rule. A rule that package blocks implements is one line; any other rule has a file of its
// name.
var rules = []*analysis.Analyzer{
	blocks.Rule("leak", spec.CodeLeak),
	blocks.Rule("usefree", spec.CodeUseAfterFree, spec.CodeDoubleFree),
	blocks.Rule("wrongpool", spec.CodeWrongPool),
	blocks.Rule("freepart", spec.CodeFreePart),
	freedropped,
	blocks.Rule("afterreset", spec.CodeUseAfterReset),
	blocks.Rule("freebusy", spec.CodeFreeBusy),
	notpinned,
	items,
	poolcopies,
	hostptr,
	confined,
}
