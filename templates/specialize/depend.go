package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
)

// depends says what a constant expression is computed from.
type depends struct {
	param  bool // a parameter
	opaque bool // a parameter whose value only the user's compiler knows
	size   bool // unsafe.Sizeof and the like, or the width of int
	item   bool // the size of a type parameter
	open   bool // that of one which stands for a type unknown here
}

func (d *depends) add(e depends) {
	d.param = d.param || e.param
	d.opaque = d.opaque || e.opaque
	d.size = d.size || e.size
	d.item = d.item || e.item
	d.open = d.open || e.open
}

// decides reports whether the value may be used to decide a branch.
func (d depends) decides() bool { return d.param && !d.opaque && !d.size && !d.item }

// dependsOn analyses an expression.
func (p *program) dependsOn(x ast.Expr) depends {
	var d depends
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			d.add(p.dependsOnCall(n))
		case *ast.UnaryExpr:
			if t, ok := p.info.Types[n].Type.(*types.Basic); ok && n.Op == token.XOR && isWord(t) {
				d.size = true
			}
		case *ast.Ident:
			d.add(p.dependsOnName(n))
		}
		return true
	})
	return d
}

func isWord(t *types.Basic) bool {
	return t.Kind() == types.Int || t.Kind() == types.Uint || t.Kind() == types.Uintptr
}

// dependsOnCall looks at the calls that are constant: those of unsafe, and len and cap of an array.
func (p *program) dependsOnCall(c *ast.CallExpr) depends {
	fun := ast.Unparen(c.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	id, ok := fun.(*ast.Ident)
	if !ok || len(c.Args) != 1 {
		return depends{}
	}
	b, ok := p.info.Uses[id].(*types.Builtin)
	if !ok {
		return depends{}
	}
	switch b.Name() {
	case "Sizeof", "Alignof", "Offsetof":
		d := p.holdsItem(p.info.Types[c.Args[0]].Type, map[types.Type]bool{})
		d.size = true
		return d
	case "len", "cap":
		arg, ok := ast.Unparen(c.Args[0]).(*ast.Ident)
		return depends{size: !ok || !p.isParam(p.info.Uses[arg])}
	}
	return depends{}
}

// dependsOnChecks notes what blank declarations depend on.
func (p *program) dependsOnChecks() {
	p.checks = map[*decl]depends{}
	for _, u := range p.units {
		for _, d := range u.decls {
			if !d.isBlank() {
				continue
			}
			v := d.node.(*ast.ValueSpec)
			var all depends
			for _, x := range append([]ast.Expr{v.Type}, v.Values...) {
				if x != nil {
					all.add(p.dependsOn(x))
				}
			}
			p.checks[d] = all
		}
	}
}

// dependsOnName looks at a parameter or a constant.
func (p *program) dependsOnName(id *ast.Ident) depends {
	switch obj := p.info.Uses[id].(type) {
	case *types.Var:
		if d, ok := p.param(obj); ok {
			return d
		}
	case *types.TypeName:
		return p.holdsItem(obj.Type(), map[types.Type]bool{})
	case *types.Const:
		if d, ok := p.dep[obj]; ok {
			return d
		}
		x := p.consts[obj]
		if x == nil {
			return depends{size: isWidth(obj)} // or true, or iota
		}
		d, ok := p.param(obj)
		if !ok {
			d = p.dependsOn(x)
		}
		p.dep[obj] = d
		return d
	}
	return depends{}
}

// param returns what is known of an object if it is a parameter.
func (p *program) param(obj types.Object) (depends, bool) {
	d := p.decls[obj]
	if d == nil {
		return depends{}, false
	}
	for _, spec := range d.specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || p.info.Defs[v.Names[0]] != obj {
			continue
		}
		if m := d.src.marks[v]; m != nil && m.verb == directiveParam {
			b := p.bound[spec]
			return depends{param: true, opaque: b != nil && b.opaque}, true
		}
	}
	return depends{}, false
}

func (p *program) isParam(obj types.Object) bool {
	if obj == nil {
		return false
	}
	_, ok := p.param(obj)
	return ok
}

// isTypeParam reports whether obj is an alias marked as a type parameter.
func (p *program) isTypeParam(obj types.Object) bool {
	d := p.decls[obj]
	if d == nil || !d.isAlias() {
		return false
	}
	m := d.src.marks[d.node]
	return m != nil && m.verb == directiveType
}

// holdsItem tells whether the size of a type depends on a type parameter.
func (p *program) holdsItem(t types.Type, seen map[types.Type]bool) (d depends) {
	if t == nil || seen[t] {
		return d
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		if p.isTypeParam(t.Obj()) {
			b := p.bound[p.decls[t.Obj()].node.(ast.Spec)]
			return depends{item: true, open: b != nil && b.opaque}
		}
		return p.holdsItem(t.Rhs(), seen)
	case *types.Named:
		return p.holdsItem(t.Underlying(), seen)
	case *types.Array:
		return p.holdsItem(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			d.add(p.holdsItem(t.Field(i).Type(), seen))
		}
	}
	return d
}

// constants notes the initial value of every constant, those inside functions too. In a group that
// repeats its values, each spec without one takes that of the last spec with one.
func (p *program) constants() {
	p.consts, p.dep = map[types.Object]ast.Expr{}, map[types.Object]depends{}
	group := func(g *ast.GenDecl) {
		var values []ast.Expr
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Values) > 0 {
				values = v.Values
			}
			for i, id := range v.Names {
				if obj := p.info.Defs[id]; obj != nil && i < len(values) {
					p.consts[obj] = values[i]
				}
			}
		}
	}
	for _, u := range p.units {
		for _, f := range u.trees {
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
					group(g)
				}
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					ast.Inspect(fn.Body, func(n ast.Node) bool {
						if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.CONST {
							group(g)
						}
						return true
					})
				}
			}
		}
	}
}
