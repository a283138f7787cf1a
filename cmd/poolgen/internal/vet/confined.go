package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// confined finds pools of concurrency none that two goroutines use: PG113, which poolgen explain shows with an example.
//
// The rule reports a pool that a goroutine allocates from or frees to, if the pool is also used by the function that started the goroutine, after the go
// statement in the same list of statements, or by another goroutine of the same loop. If there may be a handover in between, such as a call of Wait
// or Lock, a channel, or an unknown function, nothing is reported; the same holds if the goroutine itself begins with one. A tick is no handover.
var confined = &analysis.Analyzer{
	Name:     "confined",
	Doc:      rule.Doc(spec.CodeConfined),
	URL:      rule.URL(spec.CodeConfined),
	Requires: []*analysis.Analyzer{pools.Analyzer, rule.Ignores},
	Run:      runConfined,
}

// confinedChecker looks at one package.
type confinedChecker struct {
	pass  *analysis.Pass
	index *pools.Index
}

// confinedUse is a call of a pool's function.
type confinedUse struct {
	pool *pools.Pool
	root types.Object // variable that holds the pool, or the struct that the pool is in; nil: the package's pool
	path string       // text of the expression that begins with the variable
	call *ast.CallExpr
}

func runConfined(pass *analysis.Pass) (any, error) {
	c := &confinedChecker{pass, pass.ResultOf[pools.Analyzer].(*pools.Index)}
	if c.index.Empty() {
		return nil, nil
	}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		var loops []ast.Node
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				if len(loops) > 0 && stack[len(stack)-1] == loops[len(loops)-1] {
					loops = loops[:len(loops)-1]
				}
				stack = stack[:len(stack)-1]
				return true
			}
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				loops = append(loops, n)
			case *ast.BlockStmt:
				c.list(n.List, loops)
			case *ast.CaseClause:
				c.list(n.Body, loops)
			case *ast.CommClause:
				c.list(n.Body, loops)
			}
			stack = append(stack, n)
			return true
		})
	}
	return nil, nil
}

// list checks the goroutines that a list of statements starts.
func (c *confinedChecker) list(list []ast.Stmt, loops []ast.Node) {
	for i, s := range list {
		call := c.starts(s)
		if call == nil {
			continue
		}
		theirs := c.goroutine(call)
		if len(theirs) == 0 {
			continue
		}
		if len(loops) > 0 && c.inLoop(s, theirs, loops[len(loops)-1]) {
			continue
		}
		c.behind(theirs, list[i+1:])
	}
}

// goroutine returns the uses of confined pools in a goroutine before anything that may be a handover.
func (c *confinedChecker) goroutine(call *ast.CallExpr) []confinedUse {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		uses, _ := c.uses(lit.Body.List)
		return uses
	}
	if u, ok := c.use(call); ok {
		return []confinedUse{u}
	}
	return nil
}

// uses returns the uses of confined pools in statements, up to what may be a handover, and whether there is one.
func (c *confinedChecker) uses(list []ast.Stmt) (found []confinedUse, handover bool) {
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if handover {
				return false
			}
			switch n := n.(type) {
			case *ast.SelectStmt:
				found = append(found, c.ticked(n)...)
				handover = true
			case *ast.FuncLit, *ast.SendStmt:
				handover = true
			case *ast.GoStmt:
				return false
			case *ast.UnaryExpr:
				handover = n.Op == token.ARROW
			case *ast.RangeStmt:
				if t := c.pass.TypesInfo.TypeOf(n.X); t != nil {
					_, handover = t.Underlying().(*types.Chan)
				}
			case *ast.CallExpr:
				if c.isGo(n) {
					return false
				}
				if u, ok := c.use(n); ok {
					found = append(found, u)
				} else {
					handover = c.strange(n)
				}
			}
			return !handover
		})
		if handover {
			return found, true
		}
	}
	return found, false
}

// use returns the confined pool that a call uses, if any. A pool that is not in a variable is not known.
func (c *confinedChecker) use(call *ast.CallExpr) (confinedUse, bool) {
	x, ok := c.index.Call(c.pass.TypesInfo, call)
	if !ok || x.Pool.Concurrency != "none" {
		return confinedUse{}, false
	}
	switch x.Op {
	case pools.Default, pools.New, pools.Look, pools.Place, pools.Slice, pools.RefGet, pools.RefRelease, pools.RefDetach, pools.None:
		return confinedUse{}, false
	}
	if !x.Method {
		return confinedUse{x.Pool, nil, "", call}, true
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return confinedUse{}, false
	}
	id := base(sel.X)
	if id == nil {
		return confinedUse{}, false
	}
	o := c.pass.TypesInfo.ObjectOf(id)
	return confinedUse{x.Pool, o, types.ExprString(sel.X), call}, o != nil
}

// base returns the variable that an expression such as w.pool begins with; nil for other expressions.
func base(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return base(e.X)
	}
	return nil
}

// behind reports pools that are used both by a goroutine and by the statements after its start.
func (c *confinedChecker) behind(theirs []confinedUse, rest []ast.Stmt) {
	ours, _ := c.uses(rest)
	for _, t := range theirs {
		for _, o := range ours {
			if t.pool == o.pool && t.root == o.root && t.path == o.path {
				c.report(t, o.call, "the function that started the goroutine uses it at the same time")
				return
			}
		}
	}
}

func (c *confinedChecker) report(u confinedUse, other ast.Node, why string) {
	rule.Report(c.pass, spec.CodeConfined, analysis.Diagnostic{Pos: u.call.Pos(), End: u.call.End(),
		Message: u.pool.String() + " is for one goroutine at a time, and used in one of several",
		Related: []analysis.RelatedInformation{{Pos: other.Pos(), End: other.Pos(), Message: why}}})
}
