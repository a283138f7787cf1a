// Package codesize finds what each pool has in the generated files: files and functions, their machine code, and the part of it that is the fast
// path.
//
// It reads the generated text, and the output of the Go compiler for it, because a figure must describe exactly what is generated.
package codesize

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// Outline lists the parts of one pool in the generated files.
type Outline struct {
	Pool      string
	Type      string   // of the pool
	Files     []File   // of this pool alone
	Core      string   // type of its suballocator
	CoreFile  File     // that declares it
	With      []string // other pools with the same suballocator
	Functions []string // that users call, then the methods of types: declarations without bodies

	own, core []*ast.FuncDecl // that the files declare
}

// File is a generated file.
type File struct {
	Name         string
	Lines, Bytes int
}

// Outlines returns the outlines of the pools of a plan, by the pools' names. It returns none if nothing is generated.
func Outlines(texts map[string][]byte, pools []spec.Pool) (map[string]*Outline, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	s := &sources{texts: texts, trees: map[string]*ast.File{}}
	for name, text := range texts {
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.trees[name] = tree
	}
	outlines := map[string]*Outline{}
	for i := range pools {
		outlines[pools[i].Name] = s.outline(&pools[i])
	}
	for i := range pools {
		for j := range pools {
			if o, other := outlines[pools[i].Name], outlines[pools[j].Name]; i != j && o.Core == other.Core {
				o.With = append(o.With, other.Pool)
			}
		}
	}
	return outlines, nil
}

// sources are generated files with their syntax trees.
type sources struct {
	texts map[string][]byte
	trees map[string]*ast.File
}

// outline finds the parts of a pool, including those that it shares with others.
func (s *sources) outline(pool *spec.Pool) *Outline {
	files := lower.FilesOf(pool).Go()
	o := &Outline{Pool: pool.Name, Type: lower.NamesOf(pool).Pool, Core: s.coreOf(files), Functions: s.api(files, spec.Names(pool), qualifierOf(pool))}
	for _, name := range files {
		o.Files = append(o.Files, s.file(name))
		o.own = append(o.own, functionsOf(s.trees[name])...)
	}
	for name, tree := range s.trees {
		if declares(tree, o.Core) {
			o.CoreFile, o.core = s.file(name), functionsOf(tree)
		}
	}
	return o
}

func (s *sources) file(name string) File {
	return File{Name: name, Lines: bytes.Count(s.texts[name], []byte("\n")), Bytes: len(s.texts[name])}
}

// api lists the declarations that users call: functions, then methods. names are those of the functions and types.
func (s *sources) api(files, names []string, asUsers func(string) string) []string {
	var functions, methods []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue // users do not call what test files declare
		}
		for _, f := range functionsOf(s.trees[name]) {
			switch {
			case f.Recv == nil && slices.Contains(names, f.Name.Name):
				functions = append(functions, asUsers(signature(f)))
			case f.Recv != nil && f.Name.IsExported() && slices.Contains(names, receiver(f)):
				methods = append(methods, asUsers(signature(f)))
			}
		}
	}
	return append(functions, methods...)
}

// coreOf returns the type of a pool's suballocator: that of the field core of one of the types in its files.
func (s *sources) coreOf(files []string) (core string) {
	for _, name := range files {
		for _, t := range typesOf(s.trees[name]) {
			st, ok := t.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 1 && f.Names[0].Name == "core" {
					core = id.Name
				}
			}
		}
	}
	return core
}

// typesOf lists the types that a file declares.
func typesOf(file *ast.File) (list []*ast.TypeSpec) {
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				list = append(list, spec.(*ast.TypeSpec))
			}
		}
	}
	return list
}

// functionsOf lists the functions and methods that a file declares.
func functionsOf(file *ast.File) (list []*ast.FuncDecl) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

// declares reports whether a file declares a type.
func declares(file *ast.File, name string) bool {
	return slices.ContainsFunc(typesOf(file), func(t *ast.TypeSpec) bool { return t.Name.Name == name })
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

// qualifierOf returns a replacer that restores the name by which the pool file calls the item's package. Generated files use another
// name if that one collides, see lower.Aside.
func qualifierOf(pool *spec.Pool) func(signature string) string {
	q := pool.Item.Qualifier
	if q == "" {
		return func(signature string) string { return signature }
	}
	renamed := regexp.MustCompile(`\b` + regexp.QuoteMeta(lower.Aside(q)) + `\.`)
	return func(signature string) string { return renamed.ReplaceAllLiteralString(signature, q+".") }
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
