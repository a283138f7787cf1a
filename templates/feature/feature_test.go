package feature

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The specialiser replaces only what the directive marks: a parameter without it would keep its default in all pools. A parameter that no template mentions
// decides nothing.
func TestParametersAreMarkedAndUsed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "feature.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var templates strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) { // without comments, which may mention a parameter that no code depends on
			if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(strings.TrimSpace(line), "// ") {
				templates.WriteString(line)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name := spec.Names[0].Name
		if !strings.HasPrefix(spec.Doc.Text(), name+": ") || len(spec.Names) > 1 {
			t.Errorf("%s: no comment describes it alone", name)
		}
		if spec.Doc == nil || spec.Doc.List[len(spec.Doc.List)-1].Text != "//poolgen:param" {
			t.Errorf("%s has no directive", name)
		}
		if !strings.Contains(templates.String(), "feature."+name) {
			t.Errorf("%s: no template depends on it", name)
		}
		return true
	})
}
