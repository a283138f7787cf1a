package specialize

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// template is a parsed template package. It is shared by all instances and not written to once it is loaded.
type template struct {
	path    string
	name    string
	files   []*source
	imports []string // template packages that it imports, in order of appearance
	decls   []*decl  // in order of the files

	mentionsOnce sync.Once
	mentioned    map[mention]bool // see mentions
}

// source is a file of a template package.
type source struct {
	pkg   *template
	base  string // file name
	name  string // directory and file name
	text  string
	file  *token.File
	tree  *ast.File
	body  int // offset behind the last import
	marks map[ast.Node]*directive
	lines []span // of the directives

	paragraphs []paragraph // of comments, with conditions
}

// span is a range of bytes of a file.
type span struct{ from, to int }

func (s *source) offset(pos token.Pos) int { return int(pos) - s.file.Base() }

// loader parses template packages, each once.
type loader struct {
	lib  Library
	fset *token.FileSet

	mu     sync.Mutex
	loaded map[string]*template
}

func (l *loader) errorf(pos token.Pos, format string, args ...any) error {
	return &Error{Pos: l.fset.Position(pos).String(), Msg: fmt.Sprintf(format, args...)}
}

// load returns the template package of an import path.
func (l *loader) load(importPath string) (*template, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.loaded[importPath]; t != nil {
		return t, nil
	}
	files, ok := l.lib[importPath]
	if !ok {
		return nil, fault("no template package %q", importPath)
	}
	t := &template{path: importPath}
	for name, text := range files {
		if !strings.HasSuffix(name, "_test.go") {
			text = strings.ReplaceAll(text, "\r\n", "\n")
			t.files = append(t.files, &source{pkg: t, base: name, text: text, marks: map[ast.Node]*directive{}})
		}
	}
	if len(t.files) == 0 {
		return nil, fault("template package %q has no files", importPath)
	}
	sort.Slice(t.files, func(i, j int) bool { return t.files[i].base < t.files[j].base })
	for _, s := range t.files {
		if err := l.parse(t, s); err != nil {
			return nil, err
		}
	}
	// Parameters first, then the file with the package comment: a reader wants them in this order.
	sort.SliceStable(t.files, func(i, j int) bool { return rank(t.files[i]) < rank(t.files[j]) })
	for _, s := range t.files {
		if err := l.outline(t, s); err != nil {
			return nil, err
		}
	}
	l.loaded[importPath] = t
	return t, nil
}

func rank(s *source) int {
	switch {
	case s.base == "params.go":
		return 0
	case s.tree.Doc != nil:
		return 1
	}
	return 2
}

// parse reads one file and refuses what the passes cannot handle.
func (l *loader) parse(t *template, s *source) error {
	s.name = path.Base(t.path) + "/" + s.base
	tree, err := parser.ParseFile(l.fset, s.name, s.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return &Error{Msg: err.Error()}
	}
	s.tree, s.file = tree, l.fset.File(tree.FileStart)
	s.body = s.offset(tree.Name.End())
	if t.name == "" {
		t.name = tree.Name.Name
	} else if t.name != tree.Name.Name {
		return l.errorf(tree.Name.Pos(), "package %s, but the other files say %s", tree.Name.Name, t.name)
	}
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			s.body = s.offset(g.End())
		}
	}
	s.body = trail(s.text, s.body)
	for _, spec := range tree.Imports {
		if err := l.addImport(t, spec); err != nil {
			return err
		}
	}
	if err := l.refuse(s); err != nil {
		return err
	}
	s.prose()
	return l.directives(s)
}

// addImport notes an import of another template package. Its local name is made explicit in the tree, so
// that it stays when another package is linked in its place.
func (l *loader) addImport(t *template, spec *ast.ImportSpec) error {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return l.errorf(spec.Pos(), "import path %s", spec.Path.Value)
	}
	if spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_") {
		return l.errorf(spec.Pos(), "template packages have no %q imports", spec.Name.Name)
	}
	if p == "C" {
		return l.errorf(spec.Pos(), "template packages do not use cgo")
	}
	files, ok := l.lib[p]
	if !ok {
		if base := path.Base(p); spec.Name == nil && !token.IsIdentifier(base) {
			return l.errorf(spec.Pos(), "import %q needs an explicit name", p)
		}
		return nil
	}
	if spec.Name == nil {
		spec.Name = &ast.Ident{NamePos: spec.Path.Pos(), Name: packageName(files, p)}
	}
	if !slices.Contains(t.imports, p) {
		t.imports = append(t.imports, p)
	}
	return nil
}

// packageName reads the package clause of any file.
func packageName(files map[string]string, importPath string) string {
	for name, text := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
		if err == nil {
			return f.Name.Name
		}
	}
	return path.Base(importPath)
}

// refuse reports constructs that are legal Go but not allowed in templates.
func (l *loader) refuse(s *source) error {
	var err error
	for _, g := range s.tree.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:build") {
				return l.errorf(c.Pos(), "template files have no build constraints")
			}
		}
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				err = l.errorf(n.Pos(), "template packages have no init functions")
			}
		case *ast.FuncType:
			if n.TypeParams != nil {
				err = l.errorf(n.TypeParams.Pos(), "template functions have no type parameters: the specialiser takes their place")
			}
		case *ast.TypeSpec:
			if n.TypeParams != nil {
				err = l.errorf(n.TypeParams.Pos(), "template types have no type parameters: mark an alias with %s%s", directivePrefix, directiveType)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && strings.Contains(n.Value, "\n") {
				err = l.errorf(n.Pos(), "template packages have no raw strings over several lines")
			}
		}
		return true
	})
	return err
}
