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

// ofUnknown reports whether an error says that a type lacks something, and the files declare the type as one of a stub, of which nobody here knows what it has.
func ofUnknown(msg string, files []*ast.File) (is bool) {
	_, rest, lacks := strings.Cut(msg, " undefined (type ")
	name, _, _ := strings.Cut(strings.TrimPrefix(rest, "*"), " ")
	for i := 0; lacks && i < len(files); i++ {
		for _, d := range files[i].Decls {
			if group, ok := d.(*ast.GenDecl); ok {
				for _, spec := range group.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
						_, is = t.Type.(*ast.SelectorExpr)
					}
				}
			}
		}
	}
	return is
}
