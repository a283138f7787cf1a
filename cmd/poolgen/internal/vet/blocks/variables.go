package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// variables says which variables of a function can be followed.
type variables struct {
	local    map[types.Object]bool      // declared here, and not changed elsewhere
	captures map[*ast.FuncLit][]capture // variables that function literals inside use
	captured map[types.Object]token.Pos // the first literal that uses the variable and may keep or free the block
	single   map[types.Object]ast.Expr  // the value of variables that are assigned once, where they are declared
	changed  map[types.Object]bool      // variables that are assigned after their declaration, or may be
}

// capture is a variable of the function in a literal inside it.
type capture struct {
	obj   types.Object
	looks bool // the literal only accesses what the variable points to
}

// variables inspects the function's body once.
func (f *function) variables() *variables {
	u := &usage{
		function:  f,
		variables: &variables{map[types.Object]bool{}, map[*ast.FuncLit][]capture{}, map[types.Object]token.Pos{}, map[types.Object]ast.Expr{}, map[types.Object]bool{}},
		deferred:  map[*ast.FuncLit]bool{}, written: map[types.Object]bool{}, shared: map[types.Object]bool{},
	}
	for _, p := range f.paramVars() {
		u.local[p] = true
	}
	ast.Inspect(f.node, u.visit)
	for o := range u.written {
		u.changed[o] = true
		delete(u.single, o)
	}
	for o := range u.shared {
		u.changed[o] = true
		delete(u.single, o)
		delete(u.local, o)
	}
	return u.variables
}

// usage is the state of inspecting how a function uses its variables.
type usage struct {
	*function
	*variables
	stack    []ast.Node            // the nodes around the current one, the function first
	lits     []*ast.FuncLit        // the function literals among them
	deferred map[*ast.FuncLit]bool // literals that the function defers
	written  map[types.Object]bool // assigned after their declaration
	shared   map[types.Object]bool // variables that other code may change: their address is taken, or a literal that may run at any time assigns them
}

// visit looks at a node.
func (u *usage) visit(n ast.Node) bool {
	if n == nil {
		top := len(u.stack) - 1
		if last := len(u.lits) - 1; last >= 0 && u.stack[top] == ast.Node(u.lits[last]) {
			u.lits = u.lits[:last]
		}
		u.stack = u.stack[:top]
		return true
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		if n != u.node {
			u.lits = append(u.lits, n)
		}
	case *ast.DeferStmt:
		if lit, ok := n.Call.Fun.(*ast.FuncLit); ok && len(n.Call.Args) == 0 && len(u.lits) == 0 {
			u.deferred[lit] = true
		}
	case *ast.Ident:
		if o, ok := u.info.ObjectOf(n).(*types.Var); ok && !o.IsField() {
			if u.info.Defs[n] != nil && len(u.lits) == 0 {
				u.local[o] = true
			}
			u.mention(n, o)
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Lhs) != len(n.Rhs) {
			break
		}
		for i, l := range n.Lhs {
			if id, ok := l.(*ast.Ident); ok && u.info.Defs[id] != nil {
				u.single[u.info.Defs[id]] = n.Rhs[i]
			}
		}
	}
	u.stack = append(u.stack, n)
	return true
}

// mention notes how a variable is used at one place.
func (u *usage) mention(id *ast.Ident, o types.Object) {
	written := u.info.Defs[id] == nil && assigned(id, u.stack)
	if written {
		u.written[o] = true
	}
	if u.addressed(id, u.stack) {
		u.shared[o] = true
	}
	if len(u.lits) == 0 || o.Pos() >= u.lits[0].Pos() && o.Pos() < u.lits[0].End() {
		return
	}
	outer := u.lits[0]
	looks := u.looks(id, u.stack)
	u.captures[outer] = append(u.captures[outer], capture{o, looks})
	if u.deferred[outer] && len(u.lits) == 1 {
		return // the walk runs it at the exits
	}
	if written {
		u.shared[o] = true
	}
	if _, ok := u.captured[o]; !ok && !looks {
		u.captured[o] = outer.Pos()
	}
}

// assigned reports whether a statement assigns to an identifier.
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

// addressed reports whether the address of the variable itself is taken, as opposed to that of the memory it points to.
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

// looks reports whether a mention of a variable only accesses what it points to.
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
