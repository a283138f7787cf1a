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
func (p *program) check() error {
	p.info = types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},

		Implicits: map[ast.Node]types.Object{},
	}
	p.owner = map[*types.Package]*unit{}
	for i := len(p.units) - 1; i >= 0; i-- {
		if err := p.checkUnit(p.units[i]); err != nil {
			return err
		}
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
	return nil
}

// checkUnit checks one package, after what it imports.
func (p *program) checkUnit(u *unit) error {
	if u.types != nil {
		return nil
	}
	for _, path := range u.imports {
		if err := p.checkUnit(u.deps[path]); err != nil {
			return err
		}
	}
	var first *types.Error
	conf := types.Config{
		Importer:                 importer(func(path string) (*types.Package, error) { return u.importTemplate(path) }),
		Sizes:                    hostSizes,
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && first == nil && !ofStub(e.Msg) {
				first = &e
			}
		},
	}
	pkg, _ := conf.Check(u.path, p.fset, u.trees, &p.info)
	if first != nil {
		return p.explain(u, first)
	}
	u.types = pkg
	p.owner[pkg] = u
	return nil
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

// ofStub reports whether an error only says that a stub stands for a package.
func ofStub(msg string) bool {
	return strings.HasPrefix(msg, "could not import ")
}

// explain turns an error of the checker into one that names the parameters it depends on.
func (p *program) explain(u *unit, e *types.Error) error {
	for _, spec := range sortedBindings(p.bound) {
		if b := p.bound[spec]; b.file == p.fset.File(e.Pos) {
			return &Error{Param: b.key, Params: []string{b.key}, Msg: e.Msg}
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
	doc := v.Doc
	for _, d := range s.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && !g.Lparen.IsValid() && len(g.Specs) == 1 && g.Specs[0] == ast.Spec(v) {
			doc = g.Doc
		}
	}
	text := doc.Text()
	if text == "" {
		text = v.Comment.Text()
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
		if seen[key] {
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
					if p.bound[v] != nil {
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
