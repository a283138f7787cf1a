package specialize

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// hostSizes are the sizes that constant folding sees. What depends on them is never decided here, so they only need
// to be the same on every machine.
var hostSizes = types.SizesFor("gc", "amd64")

// check type-checks the packages, imported ones first. Packages that are no templates are stubs:
// everything selected from them is of unknown type, which the checker passes over in silence.
// Errors are kept until it is known what is pruned.
func (p *program) check() {
	size := 0
	for _, u := range p.units {
		for _, s := range u.files {
			size += len(s.text)
		}
	}
	// Templates have an expression in every eight bytes or so: maps that need not grow save a tenth of the time.
	p.info = types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, size/8),
		Defs:  make(map[*ast.Ident]types.Object, size/32),
		Uses:  make(map[*ast.Ident]types.Object, size/12),

		Implicits: map[ast.Node]types.Object{},
	}
	p.owner = map[*types.Package]*unit{}
	for _, u := range p.units {
		p.checkUnit(u)
	}
	p.decls = map[types.Object]*decl{}
	for _, u := range p.units {
		for _, d := range u.decls {
			for _, id := range d.names {
				if obj := p.info.Defs[id]; obj != nil {
					p.decls[obj] = d
				}
			}
		}
	}
}

// checkUnit checks one package, after what it imports.
func (p *program) checkUnit(u *unit) {
	if u.types != nil {
		return
	}
	for _, path := range u.imports {
		p.checkUnit(u.deps[path])
	}
	conf := types.Config{
		Importer:                 importer(func(path string) (*types.Package, error) { return u.importTemplate(path) }),
		Sizes:                    hostSizes,
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && !ofStub(e.Msg) && !p.emptyLiteral(u, &e) {
				p.fails = append(p.fails, failure{u, e})
			}
		},
	}
	u.types, _ = conf.Check(u.path, p.fset, u.trees, &p.info)
	p.owner[u.types] = u
}

// failure is an error of the checker.
type failure struct {
	unit *unit
	err  types.Error
}

// failed returns the first failure outside of pruned code: a core may lack what a shell only uses under a
// feature.
func (p *program) failed() error {
	for _, f := range p.fails {
		if !p.isPruned(f.unit, f.err.Pos) {
			return p.explain(f.unit, &f.err)
		}
	}
	return nil
}

// isPruned reports whether a place of a template is pruned.
func (p *program) isPruned(u *unit, pos token.Pos) bool {
	for _, d := range u.decls {
		if p.gone[d] && d.node.Pos() <= pos && pos < d.node.End() {
			return true
		}
	}
	for _, s := range u.files {
		if pos < s.tree.FileStart || pos > s.tree.FileEnd {
			continue
		}
		for _, e := range p.edits[s] {
			if at := s.offset(pos); e.from <= at && at < e.to {
				return true
			}
		}
	}
	return false
}

// importer adapts a function to types.Importer.
type importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// importTemplate returns a linked template package, unsafe, or an error that makes the checker use a stub.
func (u *unit) importTemplate(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if dep := u.deps[path]; dep != nil {
		return dep.types, nil
	}
	return nil, fmt.Errorf("stub")
}

// ofStub reports whether an error only says that a stub stands for a package, or comes from counting the unknown results of
// one of its functions.
func ofStub(msg string) bool {
	return strings.HasPrefix(msg, "could not import ") || strings.Contains(msg, "unknown type") || strings.Contains(msg, "invalid type")
}

// emptyLiteral reports whether an error is about Item{} with a type parameter that stands for a number; see zeroText.
func (p *program) emptyLiteral(u *unit, e *types.Error) bool {
	if !strings.HasPrefix(e.Msg, "invalid composite literal type") {
		return false
	}
	for spec := range p.bound {
		if t, ok := spec.(*ast.TypeSpec); ok && u.declares(t) {
			return true
		}
	}
	return false
}

// explain turns an error of the checker into one that names the parameters it depends on.
func (p *program) explain(u *unit, e *types.Error) error {
	for _, spec := range sortedBindings(p.bound) {
		if b := p.bound[spec]; b.file == p.fset.File(e.Pos) {
			return ofParam(b.key, "%s", e.Msg)
		}
	}
	err := &Error{Pos: p.position(e.Pos), Msg: e.Msg}
	s, node := u.enclosing(e.Pos)
	if node == nil {
		return err
	}
	err.Params = p.mentioned(u, node)
	if len(err.Params) > 0 {
		err.Param = err.Params[0]
	}
	if text := assertion(s, node); text != "" {
		err.Msg, err.Detail = text, e.Msg
	}
	return err
}

// enclosing returns the spec or statement that a position is in.
func (u *unit) enclosing(pos token.Pos) (*source, ast.Node) {
	for _, s := range u.files {
		if pos < s.tree.FileStart || pos > s.tree.FileEnd {
			continue
		}
		var best ast.Node
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || pos >= n.End() {
				return false
			}
			switch n.(type) {
			case ast.Spec, ast.Stmt, *ast.Field:
				best = n
			}
			return true
		})
		return s, best
	}
	return nil, nil
}

// assertion returns the comment on a `const _ = ...` or `var _ = ...`.
func assertion(s *source, node ast.Node) string {
	v, ok := node.(*ast.ValueSpec)
	if !ok || len(v.Names) != 1 || v.Names[0].Name != "_" {
		return ""
	}
	text := v.Doc.Text()
	if text == "" {
		text = v.Comment.Text()
	}
	for _, d := range s.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && text == "" && g.Pos() <= v.Pos() && v.Pos() < g.End() {
			text = g.Doc.Text()
		}
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ".")
}

// mentioned lists the parameters that a piece of a template depends on, by name: the checker failed, so
// its objects cannot be relied on. Bound ones come first, both kinds in order of appearance.
func (p *program) mentioned(u *unit, node ast.Node) []string {
	seen := map[string]bool{}
	var bound, free []string
	var visit func(u *unit, n ast.Node)
	name := func(u *unit, id string) {
		key := u.name + "." + id
		if seen[key] || id == "_" {
			return
		}
		seen[key] = true
		for _, d := range u.decls {
			for _, spec := range d.specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || !declares(v, id) {
					continue
				}
				if m := d.src.marks[v]; m != nil && m.verb == directiveParam {
					if p.bound[spec] != nil {
						bound = append(bound, key)
					} else {
						free = append(free, key)
					}
				} else if d.tok == token.CONST {
					visit(u, v)
				}
			}
		}
	}
	visit = func(u *unit, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && p.byName[x.Name] != nil {
					name(p.byName[x.Name], n.Sel.Name)
					return false
				}
			case *ast.Ident:
				name(u, n.Name)
			}
			return true
		})
	}
	visit(u, node)
	return append(bound, free...)
}

func declares(v *ast.ValueSpec, name string) bool {
	for _, id := range v.Names {
		if id.Name == name {
			return true
		}
	}
	return false
}
