package gates

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// leftovers returns what pruning may leave behind in the output of a directory: variables that are returned immediately after their declaration, and
// constants that only tests use, or nothing.
func leftovers(f *directory) (faults []string) {
	for _, s := range f.files {
		if !s.isOutput() {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			var list []ast.Stmt
			switch n := n.(type) {
			case *ast.BlockStmt:
				list = n.List
			case *ast.CaseClause:
				list = n.Body
			case *ast.CommClause:
				list = n.Body
			case *ast.GenDecl:
				faults = append(faults, f.unused(s, n)...)
			}
			for i := 1; i < len(list); i++ {
				if name := returned(list[i-1], list[i]); name != "" {
					faults = append(faults, fmt.Sprintf("%s: %s is returned as soon as it is there", s.name, name))
				}
			}
			return true
		})
	}
	return faults
}

// returned returns the first variable of a statement that declares variables with values if the next statement returns all of them, and "" otherwise.
func returned(before, after ast.Stmt) string {
	names := initialised(before)
	ret, is := after.(*ast.ReturnStmt)
	if !is || len(names) == 0 || !slices.EqualFunc(names, ret.Results, sameName) {
		return ""
	}
	return names[0].(*ast.Ident).Name
}

// initialised returns the variables that a statement declares with values, by := or var.
func initialised(s ast.Stmt) (names []ast.Expr) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			names = s.Lhs
		}
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR && len(g.Specs) == 1 && g.Specs[0].(*ast.ValueSpec).Values != nil {
			for _, id := range g.Specs[0].(*ast.ValueSpec).Names {
				names = append(names, id)
			}
		}
	}
	return names
}

// sameName reports whether two expressions are the same name.
func sameName(x, y ast.Expr) bool {
	a, is := x.(*ast.Ident)
	b, too := y.(*ast.Ident)
	return is && too && a.Name == b.Name
}

// unused returns the unexported constants of a declaration whose names occur once in the directory's code, not counting tests.
func (f *directory) unused(s source, g *ast.GenDecl) (faults []string) {
	if g.Tok != token.CONST {
		return nil
	}
	for _, spec := range g.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if f.idents[id.Name]-f.inTests[id.Name] == 1 && id.Name != "_" && !id.IsExported() {
				faults = append(faults, fmt.Sprintf("%s: nothing uses the constant %s", s.name, id.Name))
			}
		}
	}
	return faults
}

// TestNothingIsLeftOver checks all output.
func TestNothingIsLeftOver(t *testing.T) {
	for _, f := range output(t) {
		for _, fault := range leftovers(f) {
			t.Error(fault)
		}
	}
}

// TestLeftoversAreFound plants one leftover after another.
func TestLeftoversAreFound(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"func F() int { x := 1; return x }", "p/p.go: x is returned as soon as it is there"},
		{"func F() (int, error) { x, err := G(); return x, err }", "p/p.go: x is returned as soon as it is there"},
		{"func F(n int) int { switch n { case 1: x := n; return x }; return n }", "p/p.go: x is returned as soon as it is there"},
		{"func F() int { var x = 1; return x }", "p/p.go: x is returned as soon as it is there"},
		{"func F() error { var err error = G(); return err }", "p/p.go: err is returned as soon as it is there"},
		{"func F() int { var x int; return x }", ""},
		{"func F(n int) { f := func() int { x := n; return x }; f(); return }", "p/p.go: x is returned as soon as it is there"},
		{"const a, b = 1, 2\n\nvar V = a", "p/p.go: nothing uses the constant b"},
		{"func F() { const a = 1 }", "p/p.go: nothing uses the constant a"},
		{"func F() (int, int) { x, y := G(); return y, x }", ""},
		{"func F() int { x := 1; return x + 1 }", ""},
		{"func F() (x int) { x = 1; return x }", ""},
		{"func F() int { x, y := G(); return x }", ""},
		{"const _, A = 1, 2\n\nvar a = 1", ""},
		{"const a = 1\n\nvar V = a", ""},
	} {
		f := planted(t, "p.go", test.code)
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		f.add(parse(t, "p/p_test.go", []byte("package p\n\nvar _ = b\n")))
		if got := leftovers(f); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.code, got, test.want)
		}
	}
}

// planted returns a directory with one generated file.
func planted(t *testing.T, name, code string) *directory {
	t.Helper()
	return directories([]source{parse(t, "p/"+name, []byte(generatedBy+"poolgen.yaml. DO NOT EDIT.\n\npackage p\n\n"+code+"\n"))})["p"]
}
