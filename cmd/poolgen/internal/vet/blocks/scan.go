package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// refusals are the errors of invalid frees. A function that names one expects it.
var refusals = []string{"ErrInvalidFree", "ErrForeign", "ErrDoubleFree", "ErrClosed", "ErrLive"}

// scan inspects the function once for what influences the walk.
func (f *function) scan() {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			f.scanSwitch(n)
		case *ast.CommClause:
			f.comms[n.Comm] = true
		case *ast.IfStmt:
			f.scanCond(n.Cond)
			f.unwanted[n.Cond] = f.test && f.failsTest(n.Body)
		case *ast.ForStmt:
			f.scanCond(n.Cond)
		case *ast.SelectorExpr:
			if o := f.info.Uses[n.Sel]; o != nil && o.Pkg() != nil && o.Pkg().Path() == pools.Path && slices.Contains(refusals, n.Sel.Name) {
				f.doubts = true
			}
		case *ast.CallExpr:
			f.scanCall(n)
		case *ast.AssignStmt:
			f.scanMade(n)
		}
		return true
	})
}

func (f *function) scanCall(call *ast.CallExpr) {
	c, ok := f.index.Call(f.info, call)
	f.frees = f.frees || f.freedParam(call) >= 0
	f.releases = f.releases || ok && c.Op == pools.RefRelease
	if ok && c.Op == pools.CloseForce {
		f.forced[poolName(c.Pool)] = true
	}
	if sel, isSel := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && isSel && sel.Sel.Name == "Close" {
		if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok {
			f.closed[f.info.ObjectOf(id)] = true
		}
	}
}

// scanMade notes the variable that a new pool is assigned to, also through a function such as Must.
func (f *function) scanMade(s *ast.AssignStmt) {
	id, ok := s.Lhs[0].(*ast.Ident)
	if !ok || len(s.Rhs) != 1 {
		return
	}
	ast.Inspect(s.Rhs[0], func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && f.makesPool(call) {
			f.made[f.info.ObjectOf(id)] = true
		}
		return true
	})
}

// makesPool reports whether a call is NewFooPool() or new(FooPool).
func (f *function) makesPool(call *ast.CallExpr) bool {
	if c, ok := f.index.Call(f.info, call); ok {
		return c.Op == pools.New
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && f.info.Uses[id] == types.Universe.Lookup("new") && f.index.Pool(f.info.TypeOf(call.Args[0])) != nil
}

func (f *function) scanSwitch(s *ast.SwitchStmt) {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if s.Tag != nil {
				f.tags[e] = s.Tag
			} else {
				f.scanCond(e)
			}
		}
	}
}

// scanCond counts the atoms of a condition.
func (f *function) scanCond(e ast.Expr) {
	switch x := e.(type) {
	case nil:
	case *ast.ParenExpr:
		f.scanCond(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			f.scanCond(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			f.scanCond(x.X)
			f.scanCond(x.Y)
			return
		}
		text, _ := atom(x)
		f.atoms[text]++
	default:
		text, _ := atom(x)
		f.atoms[text]++
	}
}

// examines reports whether the error of a free is examined, as in tests that make mistakes on purpose. A test that fails if there is an error expects
// none.
func (f *function) examines(call *ast.CallExpr) bool {
	dropped := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			dropped = dropped || n.X == ast.Expr(call)
		case *ast.DeferStmt:
			dropped = dropped || n.Call == call
		case *ast.IfStmt:
			dropped = dropped || f.failsOnError(n, call)
		}
		return !dropped
	})
	return !dropped
}

// ignored reports whether the error of a call is dropped. A second Release does no harm where nothing depends on its error, as with defer r.Release()
// beside a Release whose error is returned.
func (f *function) ignored(call *ast.CallExpr) (ignored bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			ignored = ignored || n.X == ast.Expr(call)
		case *ast.DeferStmt:
			ignored = ignored || n.Call == call
		case *ast.AssignStmt:
			ignored = ignored || len(n.Lhs) == 1 && isIdent(n.Lhs[0], "_") && n.Rhs[0] == ast.Expr(call)
		}
		return !ignored
	})
	return ignored
}

// failsOnError reports whether a statement is if err := call; err != nil { t.Error(err) }, or the like.
func (f *function) failsOnError(s *ast.IfStmt, call *ast.CallExpr) bool {
	init, ok := s.Init.(*ast.AssignStmt)
	cond, isBinary := s.Cond.(*ast.BinaryExpr)
	if !ok || !isBinary || cond.Op != token.NEQ || len(init.Rhs) != 1 || ast.Unparen(init.Rhs[0]) != ast.Expr(call) || f.comparedWithNil(cond) == nil {
		return false
	}
	return f.failsTest(s.Body)
}

// failsTest reports whether a statement may fail the test.
func (f *function) failsTest(s ast.Stmt) (fails bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			fn := f.callee(c)
			fails = fails || fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "testing" && slices.Contains(failures, fn.Name())
		}
		return !fails
	})
	return fails
}

// failures are the methods of testing.T that fail a test.
var failures = []string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}

// loopAround returns the innermost loop around a node; nil if there is none.
func (f *function) loopAround(at ast.Node) (loop ast.Node) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		if n == nil || n.End() <= at.Pos() || n.Pos() > at.Pos() {
			return false
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			loop = n
		}
		return true
	})
	return loop
}

// within reports whether a place is inside a node.
func within(n ast.Node, at token.Pos) bool { return n != nil && n.Pos() <= at && at < n.End() }

// assignedFrom reports whether a variable gets its values from a call, and from nothing else.
func (f *function) assignedFrom(o types.Object, call *ast.CallExpr) bool {
	from, other := false, false
	ast.Inspect(f.body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for _, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok && f.info.ObjectOf(id) == o {
				if len(s.Rhs) == 1 && ast.Unparen(s.Rhs[0]) == ast.Expr(call) {
					from = true
				} else {
					other = true
				}
			}
		}
		return true
	})
	return from && !other
}

// borrow marks the parameter of a function literal that With calls: With frees the block.
func (f *function) borrow() {
	lit, ok := f.node.(*ast.FuncLit)
	if !ok {
		return
	}
	for _, file := range f.pass.Files {
		if lit.Pos() < file.FileStart || lit.Pos() >= file.FileEnd {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || n.End() <= lit.Pos() || n.Pos() > lit.Pos() {
				return false
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if c, known := f.index.Call(f.info, call); known && c.Op.Lends() && len(f.params) == 1 && f.params[0] > 0 && slices.Contains(call.Args, ast.Expr(lit)) {
				f.sites[f.params[0]-1].borrowed = true
				f.sites[f.params[0]-1].pool = c.Pool
				f.sites[f.params[0]-1].ordered = c.Op == pools.WithOn
			}
			return true
		})
	}
}
