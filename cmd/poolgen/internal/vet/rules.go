package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/blocks"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/confined"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/freedropped"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/hostptr"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/ignore"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/items"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/notpinned"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/poolcopies"
	"github.com/poolgen/poolgen/spec"
)

// Analyzers are all rules. The name of each is its flag with go vet.
func Analyzers() []*analysis.Analyzer { return analyzers }

var analyzers = append(rules, ignore.Unused(rules))

// rules are the rules that report through package ignore. A rule that package blocks implements is one line; any other rule has a directory of its
// name.
var rules = []*analysis.Analyzer{
	blocks.Rule("leak", spec.CodeLeak),
	blocks.Rule("usefree", spec.CodeUseAfterFree, spec.CodeDoubleFree),
	blocks.Rule("wrongpool", spec.CodeWrongPool),
	blocks.Rule("freepart", spec.CodeFreePart),
	freedropped.Analyzer,
	blocks.Rule("afterreset", spec.CodeUseAfterReset),
	blocks.Rule("freebusy", spec.CodeFreeBusy),
	notpinned.Analyzer,
	items.Analyzer,
	poolcopies.Analyzer,
	hostptr.Analyzer,
	confined.Analyzer,
}
