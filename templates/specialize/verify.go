package specialize

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// verify formats the text, stores it in r, and checks that it is a Go program, as far as that is possible with stubs. Any error is a bug of a template
// or of this package, never a mistake of the user. Types are checked once for each selection of declarations.
func (p *program) verify(r *Result, text string) error {
	if text == "" {
		return nil
	}
	clause := r.clause("p")
	src := clause + text + "\n"
	shape := p.shape()
	if _, seen := p.verified.Load(shape); !seen {
		if err := p.verifyTypes(src); err != nil {
			return err
		}
		p.verified.Store(shape, true)
	}
	formatted, err := format.Source([]byte(src))
	if err != nil {
		return fault("residual cannot be formatted: %v", err)
	}
	rest, kept := strings.CutPrefix(string(formatted), clause)
	if !kept {
		return fault("formatting changes the imports:\n%s", formatted)
	}
	r.Text = rest
	return nil
}

// shape says which declarations are live, and which of the type parameters have names of their own.
func (p *program) shape() string {
	var b []byte
	for _, u := range p.units {
		for _, d := range u.decls {
			c := byte('0')
			if p.live[d] {
				c++
			}
			if p.user.alias[p.info.Defs[d.names[0]]] != "" {
				c++
			}
			b = append(b, c)
		}
	}
	return string(b)
}

// verifyTypes parses a file and checks its types with stubs for all imports; names of the caller's package are unknown here.
func (p *program) verifyTypes(src string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "residual.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fault("residual does not parse: %v", err)
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, directivePrefix) {
				return fault("directive left in the residual: %s", c.Text)
			}
		}
	}
	bare, unknown := map[string]bool{}, false
	for _, f := range p.foreigns() {
		for _, id := range f.bare {
			bare["undefined: "+id.Name], unknown = true, true
		}
		unknown = unknown || slices.ContainsFunc(f.quals, func(id *ast.Ident) bool { return id.Name != "unsafe" })
	}
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue, len(src)/8)} // see check
	var first error                                                              // nil, not a nil *Error
	conf := types.Config{
		Importer: importer(stub),
		Sizes:    hostSizes,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if ok && first == nil && !ofStub(e.Msg) && !ofUnknown(e, []*ast.File{f}, &info) && !bare[e.Msg] && !(unknown && ofSize(e.Msg)) {
				first = fault("residual does not compile: %s%s", e.Msg, quoted(src, fset.Position(e.Pos).Line))
			}
		},
	}
	types.NewChecker(&conf, fset, p.lend(), &info).Files([]*ast.File{f}) // its errors are conf's
	if first == nil {
		first = p.undecided(f, &info)
	}
	return first
}

// ofSize reports whether an error is about the value of a constant. The checker takes an array of an unknown type for an array of words, so constants that
// depend on its size may have the wrong value here. The Go compiler knows the type.
func ofSize(msg string) bool {
	return strings.Contains(msg, " overflows ") || strings.Contains(msg, "invalid array length")
}

// quoted returns a line of a text, for an error on it; "" for line 0, as the error is then in a given package.
func quoted(src string, line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(", in\n%d\t%s", line, strings.Split(src, "\n")[line-1])
}

// undecided reports a branch that is left although a parameter decides it.
func (p *program) undecided(f *ast.File, info *types.Info) (err error) {
	params := map[string]bool{}
	for _, u := range p.units {
		for _, d := range u.decls {
			for _, spec := range d.specs {
				if m := d.src.marks[spec]; m != nil && m.verb == directiveParam {
					params[p.names[p.info.Defs[d.names[0]]]] = true
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var cond ast.Expr
		switch n := n.(type) {
		case *ast.IfStmt:
			cond = n.Cond
		case *ast.SwitchStmt:
			cond = n.Tag
		}
		if cond == nil || info.Types[cond].Value == nil {
			return true
		}
		ast.Inspect(cond, func(m ast.Node) bool {
			if id, ok := m.(*ast.Ident); ok && params[id.Name] {
				err = fault("residual has a branch on %s", id.Name)
			}
			return true
		})
		return true
	})
	return err
}
