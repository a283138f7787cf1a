package compile

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// collisions finds hand-written declarations in the output directory that would break the generated files: they declare an
// unexported name of a generated file, redefine a predeclared name that it uses, or have the name of a package that it imports.
// Exported names were checked with the pool file. decls maps the names declared by hand to their places.
func (b *build) collisions(ctx context.Context, decls map[string]string) spec.Diagnostics {
	if len(decls) == 0 {
		return nil
	}
	plan, files := b.Plan, b.files
	var found spec.Diagnostics
	reported := map[string]bool{}
	order := slices.Sorted(maps.Keys(files))
	order = append(slices.DeleteFunc(order, func(name string) bool { return name == lower.PackageFile }), lower.PackageFile) // about no pool in particular
	for _, name := range order {
		if ctx.Err() != nil {
			return nil
		}
		if path.Ext(name) != ".go" {
			continue
		}
		names, err := namesOf(files[name], decls)
		if err != nil {
			return broken(plan, name, err)
		}
		for _, n := range names {
			if reported[n] || replaced(files, decls[n]) {
				continue
			}
			reported[n] = true
			help, needs := "rename the declaration, or set output to a directory of its own", "the name "+n
			if types.Universe.Lookup(n) != nil { // most often clear, from before Go had it
				help, needs = "remove the declaration if it does what Go's "+n+" does, else "+help, "Go's "+n
			}
			found = append(found, plan.Finding(spec.CodeDeclared, b.placeOf(name), help,
				fmt.Sprintf("the generated file %s needs %s, and the output directory declares it already", name, needs),
				spec.Note{Message: "declared here: " + decls[n]}))
		}
	}
	return found
}

// replaced reports whether a place is in a file that a generated one would replace. That is refused as a whole, later.
func replaced(files map[string][]byte, place string) bool {
	file, _, _ := strings.Cut(path.Base(place), ":")
	_, ok := files[file]
	return ok
}

// placeOf returns the place of the pool that a file is generated for: of the first pool if there are several, and no place if the file is for all
// pools.
func (b *build) placeOf(file string) spec.Position {
	for _, p := range b.Pools {
		if slices.Contains(p.Files.Go(), file) {
			return p.Spec.Pos
		}
	}
	for _, c := range b.Cores {
		if file == c.File {
			return c.Pools[0].Spec.Pos
		}
	}
	return spec.Position{}
}

// namesOf lists the names declared by hand that collide with a generated file: with its unexported declarations, its imports, or
// the predeclared names that it uses.
func namesOf(text []byte, decls map[string]string) ([]string, error) {
	if !mentions(text, decls) {
		return nil, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for name := range f.Scope.Objects {
		taken[name] = !ast.IsExported(name)
	}
	for _, imp := range f.Imports {
		taken[importName(imp)] = true
	}
	for _, id := range f.Unresolved {
		taken[id.Name] = taken[id.Name] || types.Universe.Lookup(id.Name) != nil
	}
	var names []string
	for name := range decls {
		if taken[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// mentions reports whether any of the names occurs in the text. That is rare, and it saves parsing the file.
func mentions(text []byte, decls map[string]string) bool {
	for name := range decls {
		if !ast.IsExported(name) && bytes.Contains(text, []byte(name)) {
			return true
		}
	}
	return false
}

func importName(imp *ast.ImportSpec) string {
	if imp.Name != nil {
		return imp.Name.Name
	}
	path, err := strconv.Unquote(imp.Path.Value)
	if err != nil {
		return ""
	}
	return path[bytes.LastIndexByte([]byte(path), '/')+1:]
}
