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

// freedropped finds frees whose error is dropped: PG106, which poolgen explain shows with an example.
//
// The rule reports a free that is a statement of its own. It does not report an assignment to the blank identifier, which is a deliberate decision,
// also for errcheck. Nor does it report a deferred free, which is as usual in Go as a deferred Close.
var freedropped = &analysis.Analyzer{
	Name:     "freedropped",
	Doc:      rule.Doc(spec.CodeFreeDropped),
	URL:      rule.URL(spec.CodeFreeDropped),
	Requires: []*analysis.Analyzer{pools.Analyzer, rule.Ignores},
	Run:      runFreedropped,
}

func runFreedropped(pass *analysis.Pass) (any, error) {
	index := pass.ResultOf[pools.Analyzer].(*pools.Index)
	if index.Empty() {
		return nil, nil
	}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		var results []*types.Tuple // types of the enclosing functions
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if o, ok := pass.TypesInfo.Defs[n.Name].(*types.Func); ok && n.Body != nil {
					results = append(results, o.Signature().Results())
					ast.Inspect(n.Body, visit)
					results = results[:len(results)-1]
					return false
				}
			case *ast.FuncLit:
				if sig, ok := pass.TypesInfo.TypeOf(n).(*types.Signature); ok {
					results = append(results, sig.Results())
					ast.Inspect(n.Body, visit)
					results = results[:len(results)-1]
					return false
				}
			case *ast.BlockStmt:
				droppedFrees(pass, index, n.List, results)
			case *ast.CaseClause:
				droppedFrees(pass, index, n.Body, results)
			case *ast.CommClause:
				droppedFrees(pass, index, n.Body, results)
			}
			return true
		}
		ast.Inspect(file, visit)
	}
	return nil, nil
}

// droppedFrees checks the statements of a list.
func droppedFrees(pass *analysis.Pass, index *pools.Index, list []ast.Stmt, results []*types.Tuple) {
	for i, s := range list {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := ast.Unparen(e.X).(*ast.CallExpr)
		if !ok {
			continue
		}
		c, ok := index.Call(pass.TypesInfo, call)
		if !ok || !c.Op.Frees() {
			continue
		}
		found := analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Message: "the error of this free is dropped"}
		if i+1 < len(list) && len(results) > 0 && returnsNil(pass, list[i+1], results[len(results)-1]) && !commented(pass, e.End(), list[i+1].End()) {
			found.SuggestedFixes = []analysis.SuggestedFix{{Message: "return it", TextEdits: []analysis.TextEdit{
				{Pos: e.Pos(), End: e.Pos(), NewText: []byte("return ")}, {Pos: e.End(), End: list[i+1].End()},
			}}}
		}
		rule.Report(pass, spec.CodeFreeDropped, found)
	}
}

// commented reports whether there is a comment between two places, which a correction must not lose.
func commented(pass *analysis.Pass, from, to token.Pos) bool {
	for _, file := range pass.Files {
		for _, c := range file.Comments {
			if from < c.Pos() && c.Pos() < to {
				return true
			}
		}
	}
	return false
}

// returnsNil reports whether a statement is return nil in a function whose only result is an error.
func returnsNil(pass *analysis.Pass, s ast.Stmt, results *types.Tuple) bool {
	r, ok := s.(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 || results.Len() != 1 || results.At(0).Type() != types.Universe.Lookup("error").Type() {
		return false
	}
	id, ok := r.Results[0].(*ast.Ident)
	return ok && pass.TypesInfo.Uses[id] == types.Universe.Lookup("nil")
}
