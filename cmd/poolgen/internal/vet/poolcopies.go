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

// poolcopies finds pools that are copied: PG111, which poolgen explain shows with an example.
//
// A pool is copied by an assignment, a parameter, a receiver, a result or an element that has the type itself and not a pointer to it, also as a part
// of a struct or an array. A composite literal and a variable's zero value are not copies.
var poolcopies = &analysis.Analyzer{
	Name:     "poolcopies",
	Doc:      rule.Doc(spec.CodePoolCopied),
	URL:      rule.URL(spec.CodePoolCopied),
	Requires: []*analysis.Analyzer{pools.Analyzer, rule.Ignores},
	Run:      runPoolcopies,
}

// copyChecker looks at one package.
type copyChecker struct {
	pass  *analysis.Pass
	index *pools.Index
}

func runPoolcopies(pass *analysis.Pass) (any, error) {
	c := &copyChecker{pass, pass.ResultOf[pools.Analyzer].(*pools.Index)}
	if c.index.Empty() {
		return nil, nil
	}
	for _, file := range pass.Files {
		if !ast.IsGenerated(file) {
			ast.Inspect(file, c.visit)
		}
	}
	return nil, nil
}

func (c *copyChecker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		c.fields(n.Recv, "received")
	case *ast.FuncType:
		c.fields(n.Params, "passed")
		c.fields(n.Results, "returned")
	case *ast.AssignStmt:
		for i, e := range n.Rhs {
			if len(n.Lhs) == len(n.Rhs) && blank(n.Lhs[i]) {
				continue
			}
			c.value(e, "assigned")
		}
	case *ast.ValueSpec:
		for _, e := range n.Values {
			c.value(e, "assigned")
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			c.value(e, "put into a value")
		}
	case *ast.CallExpr:
		c.arguments(n)
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			c.value(e, "returned")
		}
	case *ast.SendStmt:
		c.value(n.Value, "sent")
	case *ast.RangeStmt:
		if n.Value != nil && !blank(n.Value) {
			c.report(n.Value, c.pass.TypesInfo.TypeOf(n.Value), "copied by range")
		}
	}
	return true
}

// arguments checks the arguments of a call. Conversions and builtins such as new and len copy nothing.
func (c *copyChecker) arguments(call *ast.CallExpr) {
	if tv, ok := c.pass.TypesInfo.Types[call.Fun]; ok && (tv.IsType() || tv.IsBuiltin()) {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || id.Name != "append" {
			return
		}
	}
	for _, e := range call.Args {
		c.value(e, "passed")
	}
}

func (c *copyChecker) fields(list *ast.FieldList, how string) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		c.report(f.Type, c.pass.TypesInfo.TypeOf(f.Type), how+" by value")
	}
}

// value checks an expression that is copied, unless the expression makes a new value.
func (c *copyChecker) value(e ast.Expr, how string) {
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit, *ast.CallExpr: // reported where the function is declared
		return
	case *ast.UnaryExpr:
		if x.Op != token.ARROW {
			return
		}
	}
	if tv, ok := c.pass.TypesInfo.Types[e]; ok && tv.IsValue() {
		c.report(e, tv.Type, how)
	}
}

func (c *copyChecker) report(at ast.Expr, t types.Type, how string) {
	if t == nil {
		return
	}
	if p := c.holds(t, 0); p != nil {
		rule.Report(c.pass, spec.CodePoolCopied, analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: p.String() + " is copied: it is " + how + "; use a pointer"})
	}
}

// holds returns the pool that values of a type have inside; nil if there is none.
func (c *copyChecker) holds(t types.Type, depth int) *pools.Pool {
	if p := c.index.Pool(t); p != nil || depth > 20 {
		return p
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return c.holds(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if p := c.holds(f.Type(), depth+1); p != nil {
				return p
			}
		}
	}
	return nil
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
