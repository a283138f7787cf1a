package poolcopies

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/ignore"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// Analyzer is the rule.
var Analyzer = &analysis.Analyzer{
	Name:     "poolcopies",
	Doc:      rule.Doc(spec.CodePoolCopied),
	URL:      rule.URL(spec.CodePoolCopied),
	Requires: []*analysis.Analyzer{pools.Analyzer, ignore.Analyzer},
	Run:      run,
}

// checker looks at one package.
type checker struct {
	pass  *analysis.Pass
	index *pools.Index
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass, pass.ResultOf[pools.Analyzer].(*pools.Index)}
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

func (c *checker) visit(n ast.Node) bool {
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
func (c *checker) arguments(call *ast.CallExpr) {
	if tv, ok := c.pass.TypesInfo.Types[call.Fun]; ok && (tv.IsType() || tv.IsBuiltin()) {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || id.Name != "append" {
			return
		}
	}
	for _, e := range call.Args {
		c.value(e, "passed")
	}
}

func (c *checker) fields(list *ast.FieldList, how string) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		c.report(f.Type, c.pass.TypesInfo.TypeOf(f.Type), how+" by value")
	}
}

// value checks an expression that is copied, unless the expression makes a new value.
func (c *checker) value(e ast.Expr, how string) {
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

func (c *checker) report(at ast.Expr, t types.Type, how string) {
	if t == nil {
		return
	}
	if p := c.holds(t, 0); p != nil {
		ignore.Report(c.pass, spec.CodePoolCopied, analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: p.String() + " is copied: it is " + how + "; use a pointer"})
	}
}

// holds returns the pool that values of a type have inside; nil if there is none.
func (c *checker) holds(t types.Type, depth int) *pools.Pool {
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
