package usefree

import (
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/blocks"
	"github.com/poolgen/poolgen/spec"
)

// Analyzer is the rule.
var Analyzer = blocks.Rule("usefree", spec.CodeUseAfterFree, spec.CodeDoubleFree)
