package gates

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// Package spec, which has the file, makes the findings about a pool file, and one place completes them: all findings have a place, the line and an
// end.
var (
	// makers may make findings themselves, because theirs are not about a value of a pool file.
	makers = []string{"cmd/poolgen/internal/vet/findings/findings.go", "cmd/poolgen/internal/cli/check.go"}
	// marker is the one file that completes them.
	marker = "cmd/poolgen/internal/workspace/workspace.go"
)

// specOf returns the name by which a file imports package spec, or "".
func specOf(s source) string {
	for _, imp := range s.tree.Imports {
		switch {
		case strings.Trim(imp.Path.Value, `"`) != tempmod.Path+"/spec":
		case imp.Name != nil:
			return imp.Name.Name
		default:
			return "spec"
		}
	}
	return ""
}

// findingsOf reports whether a file makes findings itself, and whether it completes those of others.
func findingsOf(s source) (makes, marks bool) {
	pkg := specOf(s)
	if pkg == "" {
		return false, false
	}
	is := func(e ast.Expr, names ...string) bool {
		sel, ok := e.(*ast.SelectorExpr)
		if !ok || !slices.Contains(names, sel.Sel.Name) {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && id.Name == pkg
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			list, _ := n.Type.(*ast.ArrayType)
			if is(n.Type, "Diagnostics") || list != nil && is(list.Elt, "Diagnostic") {
				for _, e := range n.Elts {
					lit, ok := e.(*ast.CompositeLit)
					makes = makes || ok && lit.Type == nil
				}
			}
			makes = makes || is(n.Type, "Diagnostic")
		case *ast.ValueSpec:
			makes = makes || is(n.Type, "Diagnostic")
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "new" && len(n.Args) == 1 {
				makes = makes || is(n.Args[0], "Diagnostic")
			}
			sel, ok := n.Fun.(*ast.SelectorExpr)
			marks = marks || ok && sel.Sel.Name == "Mark" && len(n.Args) == 1
		}
		return true
	})
	return makes, marks
}

// TestFindingsAreMadeInOnePlace checks all files of the command.
func TestFindingsAreMadeInOnePlace(t *testing.T) {
	var making, marking []string
	for _, name := range goFiles(t, tempmod.Root(t), "cmd") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(tempmod.Root(t), name))
		fatal.If(t, err)
		makes, marks := findingsOf(parse(t, name, text))
		if makes {
			making = append(making, name)
		}
		if marks {
			marking = append(marking, name)
		}
	}
	if want := slices.Sorted(slices.Values(makers)); !slices.Equal(making, want) {
		t.Errorf("findings are made in %v, want %v: others are for Plan.Finding", making, want)
	}
	if !slices.Equal(marking, []string{marker}) {
		t.Errorf("findings are completed in %v, want %s alone", marking, marker)
	}
}

// TestPlantedFindingIsFound plants each way to make or complete a finding.
func TestPlantedFindingIsFound(t *testing.T) {
	for body, want := range map[string][2]bool{
		"spec.Diagnostic{Code: c}":                     {true, false},
		"&spec.Diagnostic{}":                           {true, false},
		"spec.Diagnostics{{Code: c}}":                  {true, false},
		"[]spec.Diagnostic{{Code: c}}":                 {true, false},
		"new(spec.Diagnostic)":                         {true, false},
		"func() { var d spec.Diagnostic; d.Code = c }": {true, false},
		"doc.Mark(found)":                              {false, true},
		"spec.Diagnostics{plan.Finding(c, p, h, m)}":   {false, false},
		"func() spec.Diagnostic { return first }":      {false, false},
		"pool.Mark()":                                  {false, false},
		"other.Diagnostic{Code: c}":                    {false, false},
		"[]spec.Note{{Message: m}}":                    {false, false},
	} {
		for name, imported := range map[string]string{"spec": "", "language": "language "} {
			text := "package p\n\nimport " + imported + "\"" + tempmod.Path + "/spec\"\n\nvar x = " + strings.ReplaceAll(body, "spec.", name+".") + "\n"
			makes, marks := findingsOf(parse(t, "p.go", []byte(text)))
			if got := [2]bool{makes, marks}; got != want {
				t.Errorf("%s: makes and marks findings: %v, want %v", body, got, want)
			}
		}
	}
	if makes, marks := findingsOf(parse(t, "p.go", []byte("package p\n\nvar x, y = spec.Diagnostic{}, doc.Mark(found)\n"))); makes || marks {
		t.Error("found without package spec")
	}
}
