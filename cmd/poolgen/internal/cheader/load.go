package cheader

import (
	"cmp"
	"context"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/poolgen/poolgen/spec"
)

// Source is where the types of items come from: the packages as they will be once the generated files are written.
type Source struct {
	Environ   []string          // of the go command
	Dir       string            // a folder that exists, from which the go command runs
	Output    string            // the output folder, which need not exist
	Generated map[string][]byte // files that will be in the output folder
}

// loaded are the packages of some items.
type loaded struct {
	packages map[string]*packages.Package // by import path; "" is the output folder
	faulty   []*packages.Package          // those with errors, and of what they import
	sizes    types.Sizes                  // of the target
	names    names                        // of all headers
}

// load loads the packages of items, by one call of the go command: the source of each, and of those that it imports what the compiler knows. It fails where
// the go command cannot tell about packages at all. What does not compile in them does no harm as long as no item needs it.
func (s *Source) load(ctx context.Context, items []spec.Item) (*loaded, error) {
	l := &loaded{packages: map[string]*packages.Package{}, sizes: types.SizesFor("gc", s.target())}
	imports := map[string]bool{}
	var patterns []string
	for _, item := range items {
		if item.Kind != spec.ItemUser || imports[item.Import] {
			continue
		}
		imports[item.Import] = true
		patterns = append(patterns, cmp.Or(item.Import, s.Output))
	}
	if len(patterns) == 0 {
		return l, nil
	}
	list, err := s.packages(ctx, patterns)
	if err != nil {
		return nil, err
	}
	packages.Visit(list, nil, func(p *packages.Package) {
		if len(p.TypeErrors) > 0 || torn(p) {
			l.faulty = append(l.faulty, p)
		}
	})
	for _, p := range list {
		path := p.PkgPath
		if !imports[path] {
			path = "" // the output folder is named by its path on disk
		}
		l.packages[path] = p
		if p.TypesSizes != nil {
			l.sizes = p.TypesSizes
		}
	}
	return l, nil
}

// packages runs the go command.
func (s *Source) packages(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Context: ctx, Mode: packages.LoadTypes | packages.NeedSyntax, Dir: s.Dir, Env: s.Environ, Overlay: map[string][]byte{}, ParseFile: declarations,
	}
	for name, text := range s.Generated {
		if strings.HasSuffix(name, ".go") {
			cfg.Overlay[filepath.Join(s.Output, name)] = text
		}
	}
	list, err := packages.Load(cfg, patterns...)
	if err == nil && len(list) == 0 { // what the go command says is lost where it was to compile, too
		cfg.Mode = packages.NeedName | packages.NeedImports | packages.NeedDeps
		list, err = packages.Load(cfg, patterns...)
	}
	if err != nil {
		_, said, _ := strings.Cut(err.Error(), "stderr: ")
		return nil, &refused{why: "does not load: " + strings.Join(strings.Fields(cmp.Or(said, err.Error())), " "), help: "see what go vet says"}
	}
	return list, nil
}

// declarations parses a file without the bodies of its functions, which no type depends on.
func declarations(files *token.FileSet, name string, text []byte) (*ast.File, error) {
	f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if f != nil {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
	}
	return f, err
}

// target is the architecture that the go command compiles for, where no package tells.
func (s *Source) target() string {
	arch := build.Default.GOARCH
	for _, v := range s.Environ {
		if value, ok := strings.CutPrefix(v, "GOARCH="); ok && value != "" {
			arch = value
		}
	}
	return arch
}

// item finds the type of an item.
func (l *loaded) item(item spec.Item) (types.Type, error) {
	dimensions := strings.LastIndexByte(item.Type, ']') + 1
	name := strings.TrimPrefix(item.Type[dimensions:], item.Qualifier+".")
	scope := types.Universe
	if item.Kind == spec.ItemUser {
		p := l.packages[item.Import]
		if p == nil || p.Types == nil {
			return nil, &refused{why: "is of a package that the go command does not find", help: "see what go vet says"}
		}
		scope = p.Types.Scope()
	}
	declared, ok := scope.Lookup(name).(*types.TypeName)
	if !ok {
		return nil, &refused{why: "is not declared", help: "declare it, or correct the name", notes: l.why(item)}
	}
	if note := l.fault(declared); note != nil {
		return nil, uncompiled("", *note)
	}
	t := declared.Type()
	if g, ok := t.(interface{ TypeParams() *types.TypeParamList }); ok && g.TypeParams().Len() > 0 {
		return nil, &refused{why: "is generic", help: "name one that has its type arguments, as " + name + "Of in: type " + name + "Of = " + name + "[...]"}
	}
	lengths := strings.FieldsFunc(item.Type[:dimensions], func(r rune) bool { return r == '[' || r == ']' })
	for i := len(lengths) - 1; i >= 0; i-- {
		n, err := strconv.ParseInt(lengths[i], 10, 64)
		if err != nil {
			return nil, err
		}
		t = types.NewArray(t, n)
	}
	return t, nil
}

// fault finds the error in the declaration of a type, which is given by its name or by one of its fields; nil if there is none.
func (l *loaded) fault(o types.Object) *spec.Note {
	for _, p := range l.faulty {
		switch {
		case p.Types != o.Pkg():
		case torn(p):
			return said(p)
		default:
			return errorWithin(p, declarationAt(p, o.Pos()))
		}
	}
	return nil
}

// torn reports whether a package does not parse: then any of its types may lack a field.
func torn(p *packages.Package) bool {
	return slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ParseError })
}

// declarationAt finds the declaration of a type that a place in a package lies in; nil if it lies in none.
func declarationAt(p *packages.Package, at token.Pos) (found ast.Node) {
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || at < n.Pos() || n.End() <= at {
				return false
			}
			if t, ok := n.(*ast.TypeSpec); ok {
				found = t
			}
			return found == nil
		})
	}
	return found
}

// errorWithin finds the first error of a package that lies in a declaration.
func errorWithin(p *packages.Package, declaration ast.Node) *spec.Note {
	for _, e := range p.TypeErrors {
		if declaration != nil && declaration.Pos() <= e.Pos && e.Pos < declaration.End() {
			return typeError(e)
		}
	}
	return nil
}

func typeError(e types.Error) *spec.Note {
	at := e.Fset.Position(e.Pos)
	return &spec.Note{File: at.Filename, Pos: spec.Position{Line: at.Line, Column: at.Column}, Message: e.Msg}
}

// said is the first thing that the go command says about a package; nil if that is nothing.
func said(p *packages.Package) *spec.Note {
	for _, kind := range []packages.ErrorKind{packages.ParseError, packages.ListError, packages.UnknownError} {
		for _, e := range p.Errors {
			if e.Kind == kind {
				return &spec.Note{Message: "the go command says: " + strings.Join(strings.Fields(e.Msg), " ")}
			}
		}
	}
	return nil
}

// why is the first error in the package of an item, by which a type may be missing. Imports are not used where functions have no bodies.
func (l *loaded) why(item spec.Item) []spec.Note {
	p := l.packages[item.Import]
	if p == nil {
		return nil
	}
	for _, e := range p.TypeErrors {
		if !strings.HasSuffix(e.Msg, " and not used") {
			return []spec.Note{*typeError(e)}
		}
	}
	if note := said(p); note != nil {
		return []spec.Note{*note}
	}
	return nil
}
