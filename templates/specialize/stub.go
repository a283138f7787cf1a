package specialize

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// importer adapts a function to types.Importer.
type importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// stub stands for a package that is no template. Of unsafe and math, the checker knows what constants are computed
// from; for all others an error makes it take every name as given and of unknown type.
func stub(path string) (*types.Package, error) {
	switch path {
	case "unsafe":
		return types.Unsafe, nil
	case "math":
		return mathLimits(), nil
	}
	return nil, fmt.Errorf("stub")
}

// mathLimits declares the integer limits of package math.
func mathLimits() *types.Package {
	pkg := types.NewPackage("math", "math")
	add := func(name string, v constant.Value) {
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, types.Typ[types.UntypedInt], v))
	}
	one := constant.MakeInt64(1)
	for _, w := range []struct {
		suffix string
		bits   uint
	}{{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}, {"", 64}} {
		half := constant.Shift(one, token.SHL, w.bits-1)
		add("MaxInt"+w.suffix, constant.BinaryOp(half, token.SUB, one))
		add("MinInt"+w.suffix, constant.UnaryOp(token.SUB, half, 0))
		add("MaxUint"+w.suffix, constant.BinaryOp(constant.Shift(one, token.SHL, w.bits), token.SUB, one))
	}
	pkg.MarkComplete()
	return pkg
}

// isWidth reports whether a constant of package math depends on the width of int.
func isWidth(obj types.Object) bool {
	return obj.Pkg() != nil && obj.Pkg().Path() == "math" && !strings.ContainsAny(obj.Name(), "0123456789")
}

// ofStub reports whether an error only says that a package is a stub, or comes from the unknown number of results of a function of a stub.
func ofStub(msg string) bool {
	for _, s := range []string{"could not import ", "undefined: math."} {
		if strings.HasPrefix(msg, s) {
			return true
		}
	}
	return strings.Contains(msg, "unknown type") || strings.Contains(msg, "invalid type")
}

// ofUnknown reports whether an error says that a type lacks what it may have from a stub: the type is declared as one of a stub, or embeds one.
func ofUnknown(e types.Error, files []*ast.File, info *types.Info) (is bool) {
	if !strings.Contains(e.Msg, "has no field or method") {
		return false
	}
	for _, f := range files {
		if e.Pos < f.FileStart || f.FileEnd < e.Pos {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Pos() == e.Pos {
				is = isUnknown(info.TypeOf(sel.X))
			}
			return !is
		})
	}
	return is
}

// isUnknown reports whether a type, or what it points to, is one of a stub, or a struct that embeds one.
func isUnknown(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Invalid
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() && isUnknown(f.Type()) {
				return true
			}
		}
	}
	return false
}
