package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// hostptr finds pointers of the host among the arguments of kernels: PG112, which poolgen explain shows with an example.
//
// A kernel's arguments have type any, so the compiler accepts every type. A Go pointer, slice, string, map or channel is never correct there. A
// number that was converted from a Go pointer through unsafe.Pointer is not reported: memory that is page-locked and mapped has such addresses, too.
var hostptr = &analysis.Analyzer{
	Name:     "hostptr",
	Doc:      rule.Doc(spec.CodeHostPointer),
	URL:      rule.URL(spec.CodeHostPointer),
	Requires: []*analysis.Analyzer{rule.Ignores},
	Run:      runHostptr,
}

func runHostptr(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !launches(pass, call) || len(call.Args) < 2 || call.Ellipsis.IsValid() {
				return true
			}
			for _, a := range call.Args[1:] {
				if what := hostPointer(pass.TypesInfo.TypeOf(a)); what != "" {
					rule.Report(pass, spec.CodeHostPointer, analysis.Diagnostic{Pos: a.Pos(), End: a.End(),
						Message: "a kernel is passed a " + what + " of the host: it wants the address of device memory, as Addr returns it"})
				}
			}
			return true
		})
	}
	return nil, nil
}

// launches reports whether a call is a call of Kernel.Launch.
func launches(pass *analysis.Pass, call *ast.CallExpr) bool {
	fn := pools.Callee(pass.TypesInfo, call)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == pools.CUDA && fn.Name() == "Launch" && fn.Signature().Recv() != nil
}

// hostPointer names the kind of a type whose values are pointers of the host. It returns "" if they are not, or if that is not known.
func hostPointer(t types.Type) string {
	if t == nil {
		return ""
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return "pointer"
	case *types.Slice:
		return "slice"
	case *types.Map:
		return "map"
	case *types.Chan:
		return "channel"
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return "pointer"
		}
		if u.Info()&types.IsString != 0 {
			return "string"
		}
	}
	return ""
}
