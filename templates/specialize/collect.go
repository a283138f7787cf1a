package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
)

// ref is a place in kept code that names something the output may call otherwise.
type ref struct {
	from, to token.Pos
	obj      types.Object // package-level object of a template, method, or field
	path     string       // of the qualifier of a package that is no template
	name     string       // local name of that, or a selected name that the checker could not resolve
	paren    bool         // a type written here needs parentheses unless it is a name
	zero     bool         // the place is Item{}, with a type parameter
}

// collector finds the refs of one declaration.
type collector struct {
	*program
	unit   *unit
	refs   []ref
	parens map[ast.Expr]bool
	err    error
}

// collect finds the refs of all declarations that are not pruned, the names declared inside functions, and those in comments.
func (p *program) collect() error {
	p.refs = map[*decl][]ref{}
	p.locals = map[string][]local{}
	for _, u := range p.units {
		for _, d := range u.decls {
			if p.gone[d] {
				continue
			}
			c := &collector{program: p, unit: u, parens: map[ast.Expr]bool{}}
			ast.Inspect(p.root(d), c.visit)
			if c.err != nil {
				return c.err
			}
			p.refs[d] = c.refs
		}
	}
	p.words = map[*source][]word{}
	for _, u := range p.units {
		for _, s := range u.files {
			p.words[s] = p.findWords(u, s)
		}
	}
	return nil
}

// collectValues finds the constants of templates that are values of parameters.
func (p *program) collectValues() {
	p.values = map[*binding]types.Object{}
	for _, u := range p.units {
		for _, d := range u.decls {
			for _, spec := range d.specs {
				if b := p.bound[spec]; b != nil && b.own != "" {
					p.values[b] = u.types.Scope().Lookup(b.own)
				}
			}
		}
	}
}

// visit collects what is named at a node.
func (c *collector) visit(n ast.Node) bool {
	if n == nil || c.err != nil || c.dropped[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.CommentGroup:
		return false
	case *ast.CallExpr:
		c.parens[n.Fun] = true
	case *ast.SelectorExpr:
		return c.selector(n)
	case *ast.CompositeLit:
		return c.literal(n)
	case *ast.Field:
		if len(n.Names) == 0 {
			c.embedded(n)
		}
	case *ast.Ident:
		c.ident(n, n.Pos(), n.End(), c.parens[n])
	}
	return true
}

// selector handles pkg.Name; for x.name it leaves x to visit.
func (c *collector) selector(n *ast.SelectorExpr) bool {
	if x, ok := n.X.(*ast.Ident); ok {
		if pn, ok := c.info.Uses[x].(*types.PkgName); ok {
			if c.owner[pn.Imported()] != nil {
				c.ident(n.Sel, n.Pos(), n.End(), c.parens[n])
			} else {
				c.refs = append(c.refs, ref{from: x.Pos(), to: x.End(), path: pn.Imported().Path(), name: pn.Name()})
			}
			return false
		}
	}
	c.parens[n.X] = true
	if c.info.Uses[n.Sel] == nil {
		c.refs = append(c.refs, ref{name: n.Sel.Name})
	}
	return true
}

// ident records what an identifier stands for, if that can be renamed, dropped or reached.
func (c *collector) ident(id *ast.Ident, from, to token.Pos, paren bool) {
	obj := c.info.Uses[id]
	if obj == nil {
		def, ok := c.info.Defs[id]
		if !ok {
			return
		}
		if c.isLocal(def) {
			c.local(id)
			return
		}
		obj = def
	}
	r := ref{from: from, to: to, obj: obj, paren: paren}
	switch v := obj.(type) {
	case *types.Var:
		if _, lost := c.lost[v]; v.IsField() && !v.Embedded() && !lost {
			return
		}
	case *types.Func:
		if c.decls[obj] == nil && !c.isGiven(obj) {
			c.refs = append(c.refs, ref{name: id.Name}) // of an interface
			return
		}
	}
	if _, lost := c.lost[obj]; c.decls[obj] != nil || lost || isField(obj) || c.isGiven(obj) {
		c.refs = append(c.refs, r)
	}
}

// local is a place where a package declares a name inside a function.
type local struct {
	unit *unit
	pos  token.Pos
}

// local records a name, once for each package.
func (c *collector) local(id *ast.Ident) {
	for _, l := range c.locals[id.Name] {
		if l.unit == c.unit {
			return
		}
	}
	c.locals[id.Name] = append(c.locals[id.Name], local{c.unit, id.Pos()})
}

func isField(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && v.IsField()
}

// isLocal reports whether a definition is inside a function. The checker records nil for the name in
// switch x := y.(type).
func (c *collector) isLocal(obj types.Object) bool {
	switch obj.(type) {
	case nil:
		return true
	case *types.Func, *types.Label, *types.PkgName:
		return false
	}
	return !isField(obj) && c.decls[obj] == nil
}

// literal refuses composite literals that substitution or pruning would break, and records Item{}.
func (c *collector) literal(n *ast.CompositeLit) bool {
	if id := embeddedName(n.Type); id != nil && c.isTypeParam(c.info.Uses[id]) {
		if len(n.Elts) > 0 {
			c.err = c.at(n.Pos(), "composite literal with elements of a type parameter, which may be no array")
		}
		c.refs = append(c.refs, ref{from: n.Pos(), to: n.End(), obj: c.info.Uses[id], zero: true})
		return false
	}
	if len(n.Elts) == 0 {
		return true
	}
	if _, keyed := n.Elts[0].(*ast.KeyValueExpr); keyed || c.info.Types[n].Type == nil {
		return true
	}
	st, ok := c.info.Types[n].Type.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for i := range st.NumFields() {
		if _, lost := c.lost[st.Field(i)]; lost {
			c.err = c.at(n.Pos(), "literal without keys of a struct with a pruned field %s: write keys", st.Field(i).Name())
		}
	}
	return true
}

// embedded refuses embedded aliases: the name of the field would be lost with the alias.
func (c *collector) embedded(f *ast.Field) {
	id := embeddedName(f.Type)
	if id == nil {
		return
	}
	if v, ok := c.info.Defs[id].(*types.Var); !ok || !v.Embedded() {
		return
	}
	if d := c.decls[c.info.Uses[id]]; d != nil && d.isAlias() {
		c.err = c.at(f.Pos(), "embedded alias %s: name the field", id.Name)
	}
}
