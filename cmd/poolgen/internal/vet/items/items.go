package items

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/ignore"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/rule"
	"github.com/poolgen/poolgen/spec"
)

// Analyzer is the rule.
var Analyzer = &analysis.Analyzer{
	Name:     "items",
	Doc:      rule.Doc(spec.CodeItemPointers),
	URL:      rule.URL(spec.CodeItemPointers),
	Requires: []*analysis.Analyzer{pools.Analyzer, ignore.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	for _, p := range pass.ResultOf[pools.Analyzer].(*pools.Index).All(pass.Pkg.Path()) {
		item := itemOf(pass.Pkg, p)
		if item == nil {
			continue
		}
		at := pools.Pointer(item)
		if at == nil {
			continue
		}
		pos, end := where(pass, p, at)
		text := types.TypeString(item, types.RelativeTo(pass.Pkg))
		ignore.Report(pass, spec.CodeItemPointers, analysis.Diagnostic{Pos: pos, End: end, Message: Message(text, p.Name, at)})
	}
	return nil, nil
}

// Message returns the message that an item of a pool, by the given name, holds a pointer.
func Message(item, pool string, at *pools.Where) string {
	in := ""
	if at.Path != "" {
		in = " in " + at.Path[1:]
	}
	return "the item " + item + " of pool " + pool + " holds a " + kind(at.Type) + in + ", which the garbage collector does not see"
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

// kind names what holds a pointer.
func kind(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Name()
	case *types.Slice:
		return "slice"
	case *types.Map:
		return "map"
	case *types.Chan:
		return "channel"
	case *types.Signature:
		return "function"
	case *types.Interface:
		return "value of an interface"
	}
	return "pointer"
}

// where returns the place of the finding: the field, if it is declared in the package, else the declaration of the pool.
func where(pass *analysis.Pass, p *pools.Pool, at *pools.Where) (pos, end token.Pos) {
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
