package pools_test

import (
	"go/ast"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/vettest"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// calls reports the calls of pools' functions, with the name of the pool.
var calls = &analysis.Analyzer{
	Name:     "calls",
	Doc:      "report calls of functions of pools",
	Requires: []*analysis.Analyzer{pools.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		index := pass.ResultOf[pools.Analyzer].(*pools.Index)
		for _, f := range pass.Files {
			for n := range ast.Preorder(f) {
				if call, ok := n.(*ast.CallExpr); ok {
					if c, ok := index.Call(pass.TypesInfo, call); ok {
						pass.Reportf(call.Pos(), "%s", c.Pool.Name)
					}
				}
			}
		}
		return nil, nil
	},
}

func TestCalls(t *testing.T) {
	vettest.Run(t, vettest.Module(t, tempmod.Read(t, "testdata")), calls, "./calls")
}
