package blocks

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/ignore"
	"github.com/poolgen/poolgen/spec"
)

// Rule returns the analyzer that reports what the walk found against some codes.
func Rule(name string, codes ...spec.Code) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      Doc(codes...),
		Requires: []*analysis.Analyzer{Analyzer, ignore.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, x := range pass.ResultOf[Analyzer].(Findings) {
				if slices.Contains(codes, x.Code) {
					ignore.Report(pass, x.Code, analysis.Diagnostic{
						Pos: x.Pos, End: x.End, Message: x.Message, Related: x.Related, SuggestedFixes: x.Fixes})
				}
			}
			return nil, nil
		},
	}
}

// Doc is the text of an analyzer's help: what the table of codes says of its rules.
func Doc(codes ...spec.Code) string {
	var b strings.Builder
	for i, code := range codes {
		info, _ := spec.Explanation(string(code))
		if i == 0 {
			b.WriteString("report: " + info.Title)
		}
		b.WriteString("\n\n" + string(code) + ": " + info.Title + "\n" + info.Help)
	}
	return b.String()
}
