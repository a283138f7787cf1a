package program

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// Source completes the text of an adapter: it adds the package clause and the imports that the text uses, chosen from the given ones (by their
// names in the text) and from those of the pool file.
func Source(packageName, body string, plan *spec.Plan, imports map[string]string) []byte {
	all := slices.Clone(plan.Imports)
	for name, path := range imports {
		all = append(all, spec.Import{Qualifier: name, Path: path})
	}
	slices.SortFunc(all, func(a, b spec.Import) int { return strings.Compare(a.Path, b.Path) })
	used := qualifiers(body)
	text := "package " + packageName + "\n\nimport (\n"
	for _, i := range all {
		if used[i.Qualifier] {
			text += "\t" + i.Qualifier + " " + strconv.Quote(i.Path) + "\n"
		}
	}
	return []byte(text + ")\n\n" + body)
}

// qualifiers returns the names that stand before a dot and that declarations do not declare themselves. Text that is not Go is left to the compiler
// to report.
func qualifiers(declarations string) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+declarations, 0)
	if err != nil {
		return nil
	}
	unresolved, found := map[*ast.Ident]bool{}, map[string]bool{}
	for _, id := range file.Unresolved {
		unresolved[id] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := selector.X.(*ast.Ident); ok && unresolved[id] {
				found[id.Name] = true
			}
		}
		return true
	})
	return found
}

// ItemType is the type of the pool's items; "" for tiles and numbers.
func ItemType(p *spec.Pool) string {
	switch {
	case p.Allocator.Memory() == spec.TileMemory || p.Allocator == spec.NoAllocator:
		return ""
	case p.Item.Kind == spec.ItemBytes && p.ItemForm():
		return fmt.Sprintf("[%d]byte", p.BlockSize)
	}
	return p.Item.Type
}

// ItemSize returns an expression for an item's size, because only the compiler knows the size of a user's type.
func ItemSize(p *spec.Pool) string {
	switch {
	case p.Allocator.Memory() == spec.TileMemory && !p.ItemForm():
		return strconv.Itoa(spec.TileBytes)
	case p.Item.Kind == spec.ItemBytes && p.ItemForm():
		return strconv.FormatInt(p.BlockSize, 10)
	case p.Item.Size >= 0:
		return strconv.FormatInt(p.Item.Size, 10)
	}
	return "int64(zzunsafe.Sizeof(*new(" + p.Item.Type + ")))"
}

// AnyDriver reports whether one of the pools has memory of the CUDA driver.
func AnyDriver(pools []spec.Pool) bool {
	return slices.ContainsFunc(pools, func(p spec.Pool) bool { return p.NeedsDriver() })
}

// Arguments joins the arguments of a call: the texts that are not empty.
func Arguments(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(a string) bool { return a == "" }), ", ")
}
