package gates

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// docLink is a link to a declaration in a comment: [Name], [*Type.Method], [pkg.Type.Method].
var docLink = regexp.MustCompile(`(?:^|[\s(,;:"'])\[\*?(\pL\w*(?:\.\pL\w*){0,2})\]`)

// world finds what packages declare.
type world struct {
	root     string
	packages map[string]scope // by import path
}

// scope holds the names that a package declares, with those of fields and methods after the name of their type, and the name of the package.
type scope struct {
	name     string
	declared map[string]bool
}

// scopeOf finds the names that files of one package declare.
func scopeOf(files ...*ast.File) scope {
	sc := scope{declared: map[string]bool{}}
	for _, f := range files {
		sc.name = f.Name.Name
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				sc.declared[nameOf(d)] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					sc.addSpec(spec)
				}
			}
		}
	}
	return sc
}

func (sc scope) addSpec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			sc.declared[id.Name] = true
		}
	case *ast.TypeSpec:
		sc.declared[spec.Name.Name] = true
		ast.Inspect(spec.Type, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				for _, id := range f.Names {
					sc.declared[spec.Name.Name+"."+id.Name] = true
				}
			}
			return true
		})
	}
}

// imported returns the scope of the package with an import path, in this module or the standard library.
func (w *world) imported(t *testing.T, importPath string) scope {
	t.Helper()
	if sc, known := w.packages[importPath]; known {
		return sc
	}
	dir, ours := strings.CutPrefix(importPath, tempmod.Path+"/")
	if dir = filepath.Join(w.root, dir); !ours {
		pkg, err := build.Import(importPath, w.root, build.FindOnly)
		fatal.If(t, err)
		dir = pkg.Dir
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	fatal.If(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		fatal.If(t, err)
		files = append(files, f)
	}
	w.packages[importPath] = scopeOf(files...)
	return w.packages[importPath]
}

// dead returns the links in comments of a directory's output to names that neither its package nor an import of the file declares.
func (w *world) dead(t *testing.T, f *directory) (faults []string) {
	t.Helper()
	var trees []*ast.File
	for _, s := range f.files {
		trees = append(trees, s.tree)
	}
	own := scopeOf(trees...).declared
	for _, s := range f.files {
		if !s.isOutput() {
			continue
		}
		for _, g := range s.tree.Comments {
			text := g.Text()
			for _, at := range docLink.FindAllStringSubmatchIndex(text, -1) {
				link, behind := text[at[2]:at[3]], text[at[1]:]
				if !strings.HasPrefix(behind, "(") && !own[link] && !w.declares(t, s, link) {
					faults = append(faults, fmt.Sprintf("%s: [%s] leads nowhere", s.name, link))
				}
			}
		}
	}
	return faults
}

// declares reports whether an import of a file declares the target of a link.
func (w *world) declares(t *testing.T, s source, link string) bool {
	t.Helper()
	qualifier, name, _ := strings.Cut(link, ".")
	for _, spec := range s.tree.Imports {
		importPath := strings.Trim(spec.Path.Value, `"`)
		if importPath == "unsafe" || importPath == "C" {
			if qualifier == path.Base(importPath) {
				return true
			}
			continue
		}
		sc := w.imported(t, importPath)
		called := sc.name
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == qualifier {
			return name == "" || sc.declared[name]
		}
	}
	return false
}

// TestLinksOfOutput checks the comments of all output.
func TestLinksOfOutput(t *testing.T) {
	w := &world{root: tempmod.Root(t), packages: map[string]scope{}}
	for _, f := range output(t) {
		for _, fault := range w.dead(t, f) {
			t.Error(fault)
		}
	}
}

// TestDeadLinksAreFound plants dead links.
func TestDeadLinksAreFound(t *testing.T) {
	w := &world{root: tempmod.Root(t), packages: map[string]scope{}}
	const code = "import (\n\t\"strings\"\n\n\tnames \"path\"\n)\n\ntype T struct{ f int }\n\nfunc (t *T) M() { _ = strings.ToUpper }\n\n"
	for text, dead := range map[string]string{
		"See [T], [*T], ([T.M]), [T.f], [strings], [strings.Builder.Len], [names.Base].": "",
		"No links: a[T1], [0], [4]byte, [x](y), [a b], T[U].":                            "",
		"See [MaxSlack].": "MaxSlack", "See [T.N].": "T.N", "See [strings.Upper].": "strings.Upper", "See [path.Base].": "path.Base", "See [heap.Free].": "heap.Free", "[x] is not": "x",
	} {
		var want []string
		if dead != "" {
			want = []string{"p/p.go: [" + dead + "] leads nowhere"}
		}
		if got := w.dead(t, planted(t, "p.go", code+"// "+text+"\nvar _ = names.Base\n")); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
