package specialize

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"github.com/poolgen/poolgen/templates/specialize/layout"
)

// verify formats the text, stores it in r, and checks that it is a Go program as far as stubs can tell. Whatever it
// finds is a bug of a template or of this package, never a mistake of the user. names are the places of names in the text.
//
// The whole text is parsed and type-checked once for each selection of declarations; in others, the formatter parses what
// differs in more than names.
func (p *program) verify(r *Result, text string, names []layout.Span) error {
	if text == "" {
		return nil
	}
	clause := r.clause("p")
	if shape := p.shape(); !p.verified.has(shape) {
		if err := p.verifyWhole(clause, text); err != nil {
			return err
		}
		p.verified.add(shape)
	}
	if err := p.verifyClause(clause); err != nil {
		return err
	}
	var err error
	if r.Text, err = p.formatter.Format(text, names); err != nil {
		return fault("residual cannot be formatted: %v", err)
	}
	return nil
}

// verifyWhole parses the text and checks its types.
func (p *program) verifyWhole(clause, text string) error {
	src := clause + text + "\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "residual.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fault("residual does not parse: %v", err)
	}
	return p.verifyTypes(fset, f, src)
}

// verifyClause checks that package clause and imports are formatted, once for each.
func (p *program) verifyClause(clause string) error {
	if p.clauses.has(clause) {
		return nil
	}
	out, err := format.Source([]byte(clause))
	if err != nil || strings.TrimRight(string(out), "\n") != strings.TrimRight(clause, "\n") {
		return fault("formatting changes the imports: %v\n%s", err, out)
	}
	p.clauses.add(clause)
	return nil
}

// set is a set of texts for several goroutines. Its zero value is empty.
//
// In one, each program remembers which selections of its declarations have been type-checked. Another instance with the same
// selection differs in names alone, and these are checked when they are given.
type set struct{ texts sync.Map }

func (s *set) has(text string) bool {
	_, ok := s.texts.Load(text)
	return ok
}

func (s *set) add(text string) { s.texts.Store(text, true) }

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

// verifyTypes checks types with stubs for all imports; names of the caller's package are unknown here.
func (p *program) verifyTypes(fset *token.FileSet, f *ast.File, src string) error {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, directivePrefix) {
				return fault("directive left in the residual: %s", c.Text)
			}
		}
	}
	bare := map[string]bool{}
	for _, f := range p.foreigns() {
		for _, id := range f.bare {
			bare["undefined: "+id.Name] = true
		}
	}
	var first error // nil, not a nil *Error
	conf := types.Config{
		Importer: importer(stub),
		Sizes:    hostSizes,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if ok && first == nil && !ofStub(e.Msg) && !bare[e.Msg] {
				first = fault("residual does not compile: %s%s", e.Msg, quoted(src, fset.Position(e.Pos).Line))
			}
		},
	}
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue, len(src)/8)} // see check
	types.NewChecker(&conf, fset, p.lend(), &info).Files([]*ast.File{f})         // its errors are conf's
	if first == nil {
		first = p.undecided(f, &info)
	}
	return first
}

// quoted is the line of a text that an error is on; "" if it is on none of them, but on what the text is given.
func quoted(src string, line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(", in\n%d\t%s", line, strings.Split(src, "\n")[line-1])
}

// undecided reports a branch that a parameter decides and that is left nonetheless.
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
