package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// items finds pools whose item type has a pointer inside: PG110, which poolgen explain shows with an example.
//
// It checks the generated package. The finding is at the field if the type is declared in that package, else at the pool's declaration. generate
// cannot find this mistake, because it never loads the user's types.
var items = &analysis.Analyzer{
	Name:     "items",
	Doc:      rule.Doc(spec.CodeItemPointers),
	URL:      rule.URL(spec.CodeItemPointers),
	Requires: []*analysis.Analyzer{pools.Analyzer, rule.Ignores},
	Run:      runItems,
}

func runItems(pass *analysis.Pass) (any, error) {
	for _, p := range pass.ResultOf[pools.Analyzer].(*pools.Index).All(pass.Pkg.Path()) {
		item := itemOf(pass.Pkg, p)
		if item == nil {
			continue
		}
		at := pools.Pointer(item)
		if at == nil {
			continue
		}
		pos, end := itemPlace(pass, p, at)
		text := types.TypeString(item, types.RelativeTo(pass.Pkg))
		rule.Report(pass, spec.CodeItemPointers, analysis.Diagnostic{Pos: pos, End: end, Message: at.Message(text, p.Name)})
	}
	return nil, nil
}

// itemOf returns the item type of a pool: the type of its blocks' content, or of what is copied to them; nil if the pool has no item type, as a pool
// of numbers.
func itemOf(pkg *types.Package, p *pools.Pool) types.Type {
	pool, ok := pkg.Scope().Lookup(p.Name + "Pool").(*types.TypeName)
	if !ok {
		return nil
	}
	for _, look := range []struct {
		method string
		param  int // -1: the first result
	}{{"CopyToHost", 0}, {"Alloc", -1}} {
		o, _, _ := types.LookupFieldOrMethod(pool.Type(), true, pkg, look.method)
		fn, ok := o.(*types.Func)
		if !ok {
			continue
		}
		tuple, i := fn.Signature().Params(), look.param
		if i < 0 {
			tuple, i = fn.Signature().Results(), 0
		}
		if i >= tuple.Len() {
			continue
		}
		switch t := types.Unalias(tuple.At(i).Type()).(type) {
		case *types.Pointer:
			return t.Elem()
		case *types.Slice:
			return t.Elem()
		}
	}
	return nil
}

// itemPlace returns the place of the finding: the field, if it is declared in the package, else the declaration of the pool.
func itemPlace(pass *analysis.Pass, p *pools.Pool, at *pools.Where) (pos, end token.Pos) {
	if f := at.Field; f != nil && f.Pkg() == pass.Pkg {
		return f.Pos(), f.Pos() + token.Pos(len(f.Name()))
	}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, pools.Prefix) && strings.Contains(c.Text+" ", " name="+p.Name+" ") && ast.IsGenerated(file) {
					return c.Pos(), c.End()
				}
			}
		}
	}
	return pass.Files[0].Name.Pos(), pass.Files[0].Name.End()
}
