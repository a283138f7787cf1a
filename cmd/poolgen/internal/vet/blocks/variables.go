package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// variables says which variables of a function can be followed.
type variables struct {
	local    map[types.Object]bool         // declared here, and not changed elsewhere
	captures map[*ast.FuncLit][]capture    // variables that function literals inside use
	roles    map[*ast.FuncLit]role         // when these literals run
	writes   map[*ast.FuncLit][]*ast.Ident // variables that these literals assign
	named    map[types.Object]*ast.FuncLit // literals in variables that are only called
	captured map[types.Object]token.Pos    // the first literal that uses the variable and may keep or free the block
	single   map[types.Object]ast.Expr     // the value of variables that are assigned once, where they are declared
	changed  map[types.Object]bool         // variables that are assigned after their declaration, or may be
}

// capture is a variable of the function in a literal inside it.
type capture struct {
	obj    types.Object
	looks  bool // the literal only accesses what the variable points to
	nested bool // another literal inside uses it
}

// variables inspects the function's body once.
func (f *function) variables() *variables {
	u := &usage{
		function: f,
		variables: &variables{
			local: map[types.Object]bool{}, captures: map[*ast.FuncLit][]capture{}, roles: map[*ast.FuncLit]role{},
			writes: map[*ast.FuncLit][]*ast.Ident{}, named: map[types.Object]*ast.FuncLit{},
			captured: map[types.Object]token.Pos{}, single: map[types.Object]ast.Expr{}, changed: map[types.Object]bool{},
		},
		written: map[types.Object]bool{}, shared: map[types.Object]bool{}, valued: map[types.Object]bool{},
	}
	for _, p := range f.paramVars() {
		u.local[p] = true
	}
	ast.Inspect(f.node, u.visit)
	u.nameLiterals()
	for o := range u.written {
		u.changed[o] = true
		delete(u.single, o)
	}
	for o := range u.shared {
		u.changed[o] = true
		delete(u.single, o)
		delete(u.local, o)
	}
	u.capture()
	return u.variables
}

// usage is the state of inspecting how a function uses its variables.
type usage struct {
	*function
	*variables
	stack   []ast.Node            // the nodes around the current one, the function first
	lits    []*ast.FuncLit        // the function literals among them
	order   []*ast.FuncLit        // all literals in the function itself
	written map[types.Object]bool // assigned after their declaration
	valued  map[types.Object]bool // used as a value, not only called
	shared  map[types.Object]bool // variables that other code may change: their address is taken, or a literal that may run at any time assigns them
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
			u.roles[n] = u.role(n)
			if len(u.lits) == 0 {
				u.order = append(u.order, n)
			}
			u.lits = append(u.lits, n)
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
	if u.info.Defs[id] == nil && !u.onlyCalled(id) {
		u.valued[o] = true
	}
	if len(u.lits) == 0 || o.Pos() >= u.lits[0].Pos() && o.Pos() < u.lits[0].End() {
		return
	}
	outer := u.lits[0]
	u.captures[outer] = append(u.captures[outer], capture{o, u.looks(id, u.stack), len(u.lits) > 1})
	switch {
	case !written:
	case len(u.lits) == 1:
		u.writes[outer] = append(u.writes[outer], id)
	default:
		u.shared[o] = true
	}
}

// onlyCalled reports whether a mention of a variable calls it now or at the exit of the function.
func (u *usage) onlyCalled(id *ast.Ident) bool {
	call, ok := u.stack[len(u.stack)-1].(*ast.CallExpr)
	if !ok || call.Fun != ast.Expr(id) || len(u.lits) > 1 || len(u.lits) == 1 && u.roles[u.lits[0]] != deferred {
		return false
	}
	_, concurrent := u.stack[len(u.stack)-2].(*ast.GoStmt)
	return !concurrent
}

// nameLiterals finds the literals in variables that are only called, and the variables that other literals assign.
func (u *usage) nameLiterals() {
	for o, e := range u.single {
		if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok && !u.valued[o] && !u.written[o] && !u.shared[o] {
			u.named[o] = lit
			u.roles[lit] = named
		}
	}
	for lit, ids := range u.writes {
		if role := u.roles[lit]; role == deferred || role == scoped || role == named {
			continue // the walk runs the literal
		}
		for _, id := range ids {
			u.shared[u.info.ObjectOf(id)] = true
		}
	}
}

// capture notes which literals may keep or free the blocks in the variables that they capture.
func (u *usage) capture() {
	for _, lit := range u.order {
		role := u.roles[lit]
		if role == stored || role == deferred || u.index.Empty() {
			u.keeps(lit, nil)
			continue
		}
		u.keeps(lit, u.effects(lit))
	}
}

// keeps notes the variables whose blocks a literal may keep or free, of all but those on which its effects are known.
func (u *usage) keeps(lit *ast.FuncLit, effects map[types.Object]effect) {
	for i, c := range u.captures[lit] {
		if effects[c.obj].Effect == Looks {
			u.captures[lit][i].looks = true
			continue
		}
		inTurn := u.roles[lit] == deferred && !c.nested || u.roles[lit] == scoped || u.roles[lit] == named // the walk runs the literal
		if _, ok := u.captured[c.obj]; !ok && !c.looks && !inTurn {
			u.captured[c.obj] = lit.Pos()
		}
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
	if s == nil || s.Kind() != types.MethodVal || f.index.Block(f.info.TypeOf(id)) {
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
