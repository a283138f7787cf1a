package blocks

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The key of an expression such as n.v or list[i] names each variable in it with the place of its declaration: "n@45;.v;". Equal keys mean the same
// field or element until an assignment, a call or another goroutine may have changed one on the way.

// pathOf returns the key of a field or an element; "" for other expressions.
func (f *function) pathOf(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if o, ok := f.info.ObjectOf(e).(*types.Var); ok && f.vars.local[o] {
			return variableKey(o)
		}
	case *ast.SelectorExpr:
		if s := f.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			return under(f.pathOf(e.X), fieldKey(e.Sel.Name))
		}
	case *ast.IndexExpr:
		if tv := f.info.Types[e.Index]; tv.Value != nil {
			return under(f.pathOf(e.X), "["+tv.Value.ExactString()+"]")
		}
		if _, ok := ast.Unparen(e.Index).(*ast.Ident); ok && f.pathOf(e.Index) != "" {
			return under(f.pathOf(e.X), "["+f.pathOf(e.Index)+"]")
		}
	}
	return ""
}

// under returns the key of a part of what a key names.
func under(base, part string) string {
	if base == "" {
		return ""
	}
	return base + part
}

func variableKey(o types.Object) string { return o.Name() + "@" + strconv.Itoa(int(o.Pos())) + ";" }

func fieldKey(name string) string { return "." + name + ";" }

// load returns the block in a field or an element.
func (f *function) load(w *world, e ast.Expr) value {
	key := f.pathOf(e)
	if v, ok := w.paths[key]; ok {
		return v
	}
	v := f.find(w, e, f.info.TypeOf(e))
	if v.site > 0 && key != "" {
		w.paths[key] = v
		s := &f.sites[v.site-1]
		s.moved = s.moved || w.moved
		if s.field == nil {
			s.field = f.fieldOf(e)
		}
	}
	return v
}

// save notes the block that an assignment puts into a field or an element.
func (f *function) save(w *world, l ast.Expr, v value) {
	if key := f.pathOf(l); key != "" && v.site > 0 && !f.isBatch(v) {
		w.paths[key] = v
	}
}

// saveLiteral notes the blocks in the fields of a literal of a struct, or in the struct that a literal makes a pointer to.
func (f *function) saveLiteral(w *world, l, r ast.Expr) {
	if u, ok := ast.Unparen(r).(*ast.UnaryExpr); ok {
		r = u.X
	}
	lit, ok := ast.Unparen(r).(*ast.CompositeLit)
	if !ok {
		return
	}
	s, ok := f.info.TypeOf(lit).Underlying().(*types.Struct)
	base := f.pathOf(l)
	if !ok || base == "" {
		return
	}
	for i, x := range lit.Elts {
		name := ""
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			name, x = kv.Key.(*ast.Ident).Name, kv.Value
		} else {
			name = s.Field(i).Name()
		}
		if v := f.peek(w, x); v.site > 0 && !f.isBatch(v) {
			w.paths[base+fieldKey(name)] = v
		}
	}
}

// peek returns the block that a variable, field or element is known to hold.
func (f *function) peek(w *world, e ast.Expr) value {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return w.env[f.info.ObjectOf(id)]
	}
	return w.paths[f.pathOf(e)]
}

// overwrite forgets the fields and elements that an assignment may change.
func (f *function) overwrite(w *world, l ast.Expr) {
	part := ""
	switch l := ast.Unparen(l).(type) {
	case *ast.Ident:
		if o := f.info.ObjectOf(l); o != nil {
			part = variableKey(o)
		}
	case *ast.SelectorExpr:
		part = fieldKey(l.Sel.Name)
	case *ast.IndexExpr:
		part = "["
	}
	f.forgetPaths(w, part)
}

// forgetPaths forgets the fields and elements with a part in their keys; all if it is "".
func (f *function) forgetPaths(w *world, part string) {
	maps.DeleteFunc(w.paths, func(key string, _ value) bool { return strings.Contains(key, part) })
}

// fieldOf returns which field of which parameter an expression reads.
func (f *function) fieldOf(e ast.Expr) *field {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return nil
	}
	for i, p := range f.paramVars() {
		if p == f.info.ObjectOf(id) && !f.vars.changed[p] && !f.storedBefore(sel) {
			return &field{i, sel.Sel.Name}
		}
	}
	return nil
}

// storedBefore reports whether the function may have assigned to a field of that name before it reads one: anything but a single read at the top, as
// in a method Close, is not followed.
func (f *function) storedBefore(sel *ast.SelectorExpr) (stored bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		stored = stored || ok && s.Pos() < sel.Pos() && slices.ContainsFunc(s.Lhs, func(l ast.Expr) bool {
			x, ok := ast.Unparen(l).(*ast.SelectorExpr)
			return ok && x.Sel.Name == sel.Sel.Name
		})
		return !stored
	})
	return stored
}
