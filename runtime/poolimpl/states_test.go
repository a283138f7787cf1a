package poolimpl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// Each function that the table of states names exists.
func TestStatesNameFunctions(t *testing.T) {
	text, err := os.ReadFile("states.go")
	fatal.If(t, err)
	names, err := filepath.Glob("*.go")
	fatal.If(t, err)
	methods := map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		fatal.If(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				of := f.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				if id, ok := of.(*ast.Ident); ok {
					methods[id.Name+"."+f.Name.Name] = true
				}
			}
		}
	}
	named := regexp.MustCompile(`\b\w+\.[A-Za-z]\w+`).FindAllString(string(text), -1)
	known := 0
	for _, name := range named {
		switch {
		case name == "e.mu":
		case methods[name]:
			known++
		default:
			t.Errorf("%s is no function of this package", name)
		}
	}
	if known < 26 || methods["Engine.planted"] {
		t.Errorf("%d functions are named", known)
	}
}
