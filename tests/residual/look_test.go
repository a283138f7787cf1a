package residual

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// look finds text that no residual of a package may have, even if its tests pass: text that gofmt would change, directives of the
// specialiser, branches on a constant that was bound, and assignments whose only purpose is to avoid compiler errors.
func look(files map[string]string, bound map[string]string) (faults []string) {
	l := &looker{fset: token.NewFileSet(), constants: map[string]ast.Expr{}, bound: bound}
	for name, text := range files {
		if out, err := format.Source([]byte(text)); err != nil || string(out) != text {
			l.faults = append(l.faults, fmt.Sprintf("%s: gofmt would change it: %v", name, err))
		}
		f, err := parser.ParseFile(l.fset, name, text, parser.ParseComments)
		if err != nil {
			return append(l.faults, err.Error())
		}
		l.files = append(l.files, f)
		l.collect(f)
	}
	for _, f := range l.files {
		l.directives(f)
		ast.Inspect(f, l.visit)
	}
	return l.faults
}

type looker struct {
	fset      *token.FileSet
	files     []*ast.File
	pkg       string
	constants map[string]ast.Expr // package-level constants and their values
	bound     map[string]string
	faults    []string
}

func (l *looker) collect(f *ast.File) {
	l.pkg = f.Name.Name
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i < len(v.Values) {
					l.constants[name.Name] = v.Values[i]
				}
			}
		}
	}
}

func (l *looker) fault(n ast.Node, format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf("%s: %s", l.fset.Position(n.Pos()), fmt.Sprintf(format, args...)))
}

func (l *looker) directives(f *ast.File) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//poolgen:") {
				l.fault(c, "%s is left", c.Text)
			}
		}
	}
}

func (l *looker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		l.condition(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag != nil {
			l.condition(n.Tag)
		}
	case *ast.CaseClause:
		for _, x := range n.List {
			l.condition(x)
		}
	case *ast.AssignStmt:
		blank := true
		for _, x := range n.Lhs {
			id, ok := x.(*ast.Ident)
			blank = blank && ok && id.Name == "_"
		}
		for _, x := range n.Rhs {
			_, call := x.(*ast.CallExpr) // which is made for its effect
			blank = blank && !call
		}
		if blank {
			l.fault(n, "an assignment to nothing")
		}
	case *ast.GenDecl:
		if n.Tok == token.VAR {
			for _, name := range n.Specs[0].(*ast.ValueSpec).Names {
				if name.Name == "_" {
					l.fault(n, "a variable without a name")
				}
			}
		}
	}
	return true
}

// condition reports the parts of a condition whose value a bound parameter determines.
func (l *looker) condition(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		l.condition(x.X)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			l.condition(x.X)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			l.condition(x.X)
			l.condition(x.Y)
			return
		}
	}
	if constant, bound := l.weigh(x, 0); constant && bound {
		l.fault(x, "%s is decided by a parameter", types.ExprString(x))
	}
}

// weigh reports whether an expression has only constants, and whether one of them is bound. It compares names, because
// templates do not shadow their constants.
func (l *looker) weigh(x ast.Expr, depth int) (constant, bound bool) {
	constant = depth < 20
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			name := types.ExprString(n)
			if l.bound[name] == "" {
				constant = false
			}
			bound = bound || l.bound[name] != ""
			return false
		case *ast.Ident:
			value, ok := l.constants[n.Name]
			switch {
			case types.Universe.Lookup(n.Name) != nil:
			case !ok:
				constant = false
			case l.bound[l.pkg+"."+n.Name] != "":
				bound = true
			default:
				c, b := l.weigh(value, depth+1)
				constant, bound = constant && c, bound || b
			}
		case *ast.StarExpr, *ast.IndexExpr, *ast.CompositeLit, *ast.FuncLit:
			constant = false
		}
		return constant
	})
	return constant, bound
}

// TestLook plants faults, one at a time.
func TestLook(t *testing.T) {
	const head = "package p\n\nconst size = 8\n\nconst mask = size - 1\n\n"
	for text, want := range map[string]string{
		head + "func f(n int) bool { return n&mask == 0 }\n":                                "",
		head + "func f(n int) {\n\tif n == size {\n\t}\n}\n":                                "",
		head + "func f(n int) {\n\tif n > 0 && mask > 3 {\n\t}\n}\n":                        "mask > 3 is decided",
		head + "func f(n int) {\n\tif feature.Locked {\n\t}\n}\n":                           "feature.Locked is decided",
		head + "func f(n int) {\n\tswitch size {\n\tcase 1:\n\t}\n}\n":                      "size is decided",
		head + "func f(n int) {\n\t_ = n\n}\n":                                              "assignment to nothing",
		head + "var _ = size\n":                                                             "without a name",
		head + "const _ = uint(size - 1)\n":                                                 "",
		head + "func f( n int) {}\n":                                                        "gofmt",
		head + "//poolgen:if size > 3\nfunc f(n int) {}\n":                                  "is left",
		head + "func f(n int) (int, bool) {\n\tif n, ok := g(); ok {\n\t}\n\treturn 0, _\n": "expected",
	} {
		got := strings.Join(look(map[string]string{"p.go": text}, map[string]string{"p.size": "8", "feature.Locked": "true"}), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s\ngot %q, want %q", text, got, want)
		}
	}
}
