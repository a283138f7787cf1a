package blocks

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// Rule returns the analyzer that reports the findings of the walk with the given codes.
func Rule(name string, codes ...spec.Code) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      rule.Doc(codes...),
		URL:      rule.URL(codes[0]),
		Requires: []*analysis.Analyzer{Analyzer, rule.Ignores},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, x := range pass.ResultOf[Analyzer].(Findings) {
				if slices.Contains(codes, x.Code) {
					rule.Report(pass, x.Code, analysis.Diagnostic{
						Pos: x.Pos, End: x.End, Message: x.Message, Related: x.Related, SuggestedFixes: x.Fixes})
				}
			}
			return nil, nil
		},
	}
}
