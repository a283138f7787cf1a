package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// variables tells which variables of a function can be followed.
type variables struct {
	local    map[types.Object]bool      // declared here, and changed by nobody else
	captures map[*ast.FuncLit][]capture // what function literals inside use
	captured map[types.Object]token.Pos // by a literal that may keep or free the block: the first one
	single   map[types.Object]ast.Expr  // the value of variables that are assigned once, where they are declared
}

// capture is a variable of the function in a literal inside it.
type capture struct {
	obj   types.Object
	looks bool // the literal only looks at what the variable points to
}

// variables looks through the function's body once.
func (f *function) variables() *variables {
	v := &variables{map[types.Object]bool{}, map[*ast.FuncLit][]capture{}, map[types.Object]token.Pos{}, map[types.Object]ast.Expr{}}
	for _, p := range f.paramVars() {
		v.local[p] = true
	}
	changed := map[types.Object]int{}
	var lits []*ast.FuncLit
	deferred := map[*ast.FuncLit]bool{}
	var stack []ast.Node
	ast.Inspect(f.node, func(n ast.Node) bool {
		if n == nil {
			if len(lits) > 0 && stack[len(stack)-1] == ast.Node(lits[len(lits)-1]) {
				lits = lits[:len(lits)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != f.node {
				lits = append(lits, n)
			}
		case *ast.DeferStmt:
			if lit, ok := n.Call.Fun.(*ast.FuncLit); ok && len(n.Call.Args) == 0 && len(lits) == 0 {
				deferred[lit] = true
			}
		case *ast.Ident:
			o, ok := f.info.ObjectOf(n).(*types.Var)
			if !ok || o.IsField() {
				break
			}
			if f.info.Defs[n] != nil && len(lits) == 0 {
				v.local[o] = true
			}
			f.mention(v, n, o, stack, lits, deferred, changed)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
				for i, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok && f.info.Defs[id] != nil {
						v.single[f.info.Defs[id]] = n.Rhs[i]
					}
				}
			}
		}
		stack = append(stack, n)
		return true
	})
	for o, n := range changed {
		if n > 0 {
			delete(v.single, o)
		}
		if n > 1000 {
			delete(v.local, o)
		}
	}
	return v
}

// mention records how a variable is used at one place.
func (f *function) mention(v *variables, id *ast.Ident, o types.Object, stack []ast.Node, lits []*ast.FuncLit, deferred map[*ast.FuncLit]bool, changed map[types.Object]int) {
	written := f.info.Defs[id] == nil && assigned(id, stack)
	if written {
		changed[o]++
	}
	if f.addressed(id, stack) {
		changed[o] += 2000
	}
	if len(lits) == 0 || o.Pos() >= lits[0].Pos() && o.Pos() < lits[0].End() {
		return
	}
	outer := lits[0]
	looks := f.looks(id, stack)
	v.captures[outer] = append(v.captures[outer], capture{o, looks})
	if deferred[outer] && len(lits) == 1 {
		return // the walk looks into it at the exits
	}
	if written {
		changed[o] += 2000
	}
	if _, ok := v.captured[o]; !ok && !looks {
		v.captured[o] = outer.Pos()
	}
}

// assigned reports whether an identifier is what a statement assigns to.
func assigned(id *ast.Ident, stack []ast.Node) bool {
	switch s := stack[len(stack)-1].(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if l == ast.Expr(id) {
				return true
			}
		}
	case *ast.RangeStmt:
		return s.Key == ast.Expr(id) || s.Value == ast.Expr(id)
	case *ast.IncDecStmt:
		return true
	}
	return false
}

// addressed reports whether the address of the variable itself is taken; that of what it points to is another thing.
func (f *function) addressed(id *ast.Ident, stack []ast.Node) bool {
	if u, ok := stack[len(stack)-1].(*ast.UnaryExpr); ok && u.Op == token.AND {
		return true
	}
	sel, ok := stack[len(stack)-1].(*ast.SelectorExpr)
	if !ok || sel.X != ast.Expr(id) {
		return false
	}
	s := f.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal || f.index.Handle(f.info.TypeOf(id)) {
		return false
	}
	_, pointer := f.info.TypeOf(id).Underlying().(*types.Pointer)
	recv := s.Obj().(*types.Func).Signature().Recv()
	if pointer || recv == nil {
		return false
	}
	_, byPointer := recv.Type().Underlying().(*types.Pointer)
	return byPointer
}

// looks reports whether a mention of a variable only looks at what it points to.
func (f *function) looks(id *ast.Ident, stack []ast.Node) bool {
	switch p := stack[len(stack)-1].(type) {
	case *ast.StarExpr, *ast.IndexExpr:
		return true
	case *ast.BinaryExpr:
		return p.Op == token.EQL || p.Op == token.NEQ
	case *ast.RangeStmt:
		return p.X == ast.Expr(id)
	case *ast.SelectorExpr:
		s := f.info.Selections[p]
		return s != nil && s.Kind() == types.FieldVal
	case *ast.CallExpr:
		fn, ok := ast.Unparen(p.Fun).(*ast.Ident)
		if !ok {
			return false
		}
		b, ok := f.info.ObjectOf(fn).(*types.Builtin)
		return ok && (b.Name() == "len" || b.Name() == "cap" || b.Name() == "copy" || b.Name() == "clear")
	}
	return false
}
