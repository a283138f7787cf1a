package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
)

// clashes reports whether names declared by what is left of the i-th statement could be taken for others
// if they were declared in the list itself.
func (c *cutter) clashes(o owner, i int) bool {
	names := map[string]bool{}
	c.declared(c.target(o.list[i]), names)
	if len(names) == 0 {
		return false
	}
	if b, ok := o.node.(*ast.BlockStmt); ok && c.funcs[b] != nil && c.declaresParam(c.funcs[b], names) {
		return true
	}
	for j, s := range o.list {
		if j == i || c.dropped[s] {
			continue
		}
		others := map[string]bool{}
		c.declared(c.target(s), others)
		for name := range others {
			if names[name] {
				return true
			}
		}
		if j > i && c.uses(s, names) {
			return true
		}
	}
	return false
}

// declared adds the names that the statements of a list declare in it, spliced ones included.
func (c *cutter) declared(list []ast.Stmt, names map[string]bool) {
	for _, s := range list {
		if c.dropped[s] {
			continue
		}
		if f := c.fates[s]; f != nil {
			if !f.braces {
				c.declared(c.target(s), names)
			}
			continue
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, x := range s.Lhs {
					if id, ok := x.(*ast.Ident); ok && c.info.Defs[id] != nil {
						names[id.Name] = true
					}
				}
			}
		case *ast.DeclStmt:
			ast.Inspect(s, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && c.info.Defs[id] != nil {
					names[id.Name] = true
				}
				_, lit := n.(*ast.FuncLit)
				return !lit
			})
		}
	}
}

func (c *cutter) declaresParam(t *ast.FuncType, names map[string]bool) bool {
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				if names[id.Name] {
					return true
				}
			}
		}
	}
	return false
}

// uses reports whether a statement uses one of the names for something declared outside of it.
func (c *cutter) uses(s ast.Stmt, names map[string]bool) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if n == nil || c.dropped[n] || found {
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok || !names[id.Name] {
			return true
		}
		obj := c.info.Uses[id]
		if obj == nil {
			return true
		}
		if v, ok := obj.(*types.Var); ok && v.IsField() {
			return true
		}
		if _, ok := obj.(*types.Func); ok && obj.Parent() == nil {
			return true // a method
		}
		if obj.Pos() < s.Pos() || obj.Pos() >= s.End() {
			found = true
		}
		return true
	})
	return found
}
