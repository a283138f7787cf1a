package cli

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

// outline is what there is of one pool in the generated files.
type outline struct {
	files     []string // of this pool alone
	core      string   // type of its suballocator
	coreFile  string   // that declares it
	with      []string // other pools with the same suballocator
	functions []string // exported functions, then the methods of exported types: declarations without bodies
}

// sources are generated files with their syntax trees. What is told of pools is read from these, so that it cannot be anything but what is generated.
type sources struct {
	texts map[string][]byte
	trees map[string]*ast.File
}

func parseSources(texts map[string][]byte) (*sources, error) {
	s := &sources{texts: texts, trees: map[string]*ast.File{}}
	for name, text := range texts {
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.trees[name] = tree
	}
	return s, nil
}

// outline finds what there is of a pool, one of all.
func (s *sources) outline(pool *spec.Pool, all []spec.Pool) outline {
	o := outline{files: lower.FilesOf(pool).Go(), core: s.coreOf(pool)}
	for name, tree := range s.trees {
		if declares(tree, o.core) {
			o.coreFile = name
		}
	}
	for i := range all {
		if other := &all[i]; other.Name != pool.Name && s.coreOf(other) == o.core {
			o.with = append(o.with, other.Name)
		}
	}
	asUsers := qualifierOf(pool)
	var methods []string
	for _, name := range o.files {
		if strings.HasSuffix(name, "_test.go") {
			continue // nobody calls what is in there
		}
		for _, decl := range s.trees[name].Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || !f.Name.IsExported():
			case f.Recv == nil:
				o.functions = append(o.functions, asUsers(signature(f)))
			case ast.IsExported(receiver(f)):
				methods = append(methods, asUsers(signature(f)))
			}
		}
	}
	o.functions = append(o.functions, methods...)
	return o
}

// coreOf returns the type of a pool's suballocator: that of the field core of one of its types.
func (s *sources) coreOf(pool *spec.Pool) (core string) {
	for _, name := range lower.FilesOf(pool).Go() {
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

// declares reports whether a file declares a type.
func declares(file *ast.File, name string) bool {
	return slices.ContainsFunc(typesOf(file), func(t *ast.TypeSpec) bool { return t.Name.Name == name })
}

// lines returns the number of lines of a file.
func (s *sources) lines(name string) int { return bytes.Count(s.texts[name], []byte("\n")) }

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

// qualifierOf returns what gives the item's package the name that the pool file has for it: where that is in their way, generated files
// put "item" before it.
func qualifierOf(pool *spec.Pool) func(signature string) string {
	q := pool.Item.Qualifier
	if q == "" {
		return func(signature string) string { return signature }
	}
	renamed := regexp.MustCompile(`\bitem` + regexp.QuoteMeta(q) + `\.`)
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
