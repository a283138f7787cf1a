package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// notpinned finds asynchronous copies that wait after all: PG109, which poolgen explain shows with an example.
//
// It reports only copies with Async in their names, of memory that is certainly on the Go heap. CopyFooToDevice waits for such memory, too, but its
// name promises nothing else.
var notpinned = &analysis.Analyzer{
	Name:     "notpinned",
	Doc:      rule.Doc(spec.CodeNotPinned),
	URL:      rule.URL(spec.CodeNotPinned),
	Requires: []*analysis.Analyzer{rule.Ignores},
	Run:      runNotpinned,
}

// copiers are the asynchronous copies, with the index of the argument that is Go's memory.
var copiers = map[string]int{"CopyToDeviceAsync": 1, "CopyToHostAsync": 0}

func runNotpinned(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		if strings.HasSuffix(pass.Fset.Position(file.Pos()).Filename, "_test.go") { // a test may intend the copy to wait
			continue
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				callee := pools.Callee(pass.TypesInfo, call)
				if callee == nil || callee.Pkg() == nil || callee.Pkg().Path() != pools.CUDA {
					return true
				}
				i, ok := copiers[callee.Name()]
				if !ok || i >= len(call.Args) || !fromGo(pass.TypesInfo, fn.Body, call.Args[i], 4) {
					return true
				}
				rule.Report(pass, spec.CodeNotPinned, analysis.Diagnostic{Pos: call.Args[i].Pos(), End: call.Args[i].End(),
					Message: "this is memory of the Go heap: " + callee.Name() + " waits until it is copied"})
				return true
			})
		}
	}
	return nil, nil
}

// fromGo reports whether memory is certainly Go's: the result of make, a literal, or a slice of one.
func fromGo(info *types.Info, body ast.Node, e ast.Expr, depth int) bool {
	if depth == 0 {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.SliceExpr:
		if _, array := info.TypeOf(e.X).Underlying().(*types.Array); array {
			_, local := ast.Unparen(e.X).(*ast.Ident)
			return local
		}
		return fromGo(info, body, e.X, depth-1)
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
			b, ok := info.ObjectOf(id).(*types.Builtin)
			return ok && b.Name() == "make"
		}
		tv, ok := info.Types[e.Fun] // []byte("text")
		return ok && tv.IsType() && len(e.Args) == 1 && isString(info.TypeOf(e.Args[0]))
	case *ast.Ident:
		return assignedFromGo(info, body, info.ObjectOf(e), depth)
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// assignedFromGo reports whether all values that are assigned to a variable are Go's memory.
func assignedFromGo(info *types.Info, body ast.Node, o types.Object, depth int) bool {
	some, all := false, true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && info.ObjectOf(id) == o {
					some = true
					all = all && len(n.Lhs) == len(n.Rhs) && fromGo(info, body, n.Rhs[i], depth-1)
				}
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && info.ObjectOf(id) == o {
				all = false // its address is taken
			}
		}
		return true
	})
	return some && all
}
