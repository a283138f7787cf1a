package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// outline is what a user of one pool sees of the generated files.
type outline struct {
	files     []string // that declare something of the pool
	functions []string // exported functions, then the methods of exported types: declarations without bodies
}

// outlineOf reads the outline of a pool from the generated files, so that it cannot tell anything but what is generated.
func outlineOf(pool string, files map[string][]byte) (outline, error) {
	var o outline
	var methods []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return o, err
		}
		if !slices.ContainsFunc(parsed.Decls, func(d ast.Decl) bool { return belongs(d, pool+"Pool") }) {
			continue
		}
		o.files = append(o.files, name)
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || !f.Name.IsExported():
			case f.Recv == nil:
				o.functions = append(o.functions, signature(f))
			case ast.IsExported(receiver(f)):
				methods = append(methods, signature(f))
			}
		}
	}
	o.functions = append(o.functions, methods...)
	return o, nil
}

// belongs reports whether decl declares the type name or a method of it.
func belongs(decl ast.Decl, name string) bool {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Recv != nil && receiver(d) == name
	case *ast.GenDecl:
		return slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
			t, ok := s.(*ast.TypeSpec)
			return ok && t.Name.Name == name
		})
	}
	return false
}

// receiver returns the name of the type that f is a method of.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, _ := t.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

// signature writes the declaration of f without its body and comment.
func signature(f *ast.FuncDecl) string {
	var b bytes.Buffer
	bare := *f
	bare.Doc, bare.Body = nil, nil
	if err := printer.Fprint(&b, token.NewFileSet(), &bare); err != nil {
		return f.Name.Name
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
