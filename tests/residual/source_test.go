package residual

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// source is a set of templates with their tests.
type source struct {
	lib   specialize.Library
	tests specialize.Library
}

// repository returns poolgen's own templates.
func repository(t *testing.T) source {
	s := source{templates.Library(), specialize.Library{}}
	for path := range s.lib {
		dir := filepath.Join(tempmod.Root(t), "templates", path[len(templates.Path)+1:])
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		fatal.If(t, err)
		s.tests[path] = map[string]string{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			fatal.If(t, err)
			s.tests[path][filepath.Base(file)] = string(text)
		}
	}
	return s
}

func parse(t *testing.T, text string) *ast.File {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	fatal.If(t, err)
	return f
}

// parameters returns the names that the files mark as parameters.
func parameters(t *testing.T, files map[string]string) (names []string) {
	marked := func(docs ...*ast.CommentGroup) bool {
		for _, doc := range docs {
			for _, c := range comments(doc) {
				if c.Text == "//poolgen:param" || c.Text == "//poolgen:type" {
					return true
				}
			}
		}
		return false
	}
	for _, text := range files {
		ast.Inspect(parse(t, text), func(n ast.Node) bool {
			g, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range g.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					if marked(spec.Doc, g.Doc) {
						names = append(names, spec.Names[0].Name)
					}
				case *ast.TypeSpec:
					if marked(spec.Doc, g.Doc) {
						names = append(names, spec.Name.Name)
					}
				}
			}
			return false
		})
	}
	sort.Strings(names)
	return names
}

func comments(g *ast.CommentGroup) []*ast.Comment {
	if g == nil {
		return nil
	}
	return g.List
}
