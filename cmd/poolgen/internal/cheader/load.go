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
	sizes    types.Sizes                  // of the target
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
		return nil, &refused{why: "the Go types do not load: " + strings.Join(strings.Fields(cmp.Or(said, err.Error())), " "), help: "see what go vet says"}
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
			return nil, &refused{why: "the go command does not find its package", help: "see what go vet says"}
		}
		scope = p.Types.Scope()
	}
	declared, ok := scope.Lookup(name).(*types.TypeName)
	if !ok {
		return nil, &refused{why: "no type " + item.Type[dimensions:] + " is declared", help: "declare it, or correct the name"}
	}
	t := declared.Type()
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

// why is the first error in the package of an item, with its place where it has one. Imports are not used where functions have no bodies.
func (l *loaded) why(item spec.Item) []spec.Note {
	p := l.packages[item.Import]
	if p == nil {
		return nil
	}
	for _, e := range p.TypeErrors {
		if !strings.HasSuffix(e.Msg, " and not used") {
			at := e.Fset.Position(e.Pos)
			return []spec.Note{{File: at.Filename, Pos: spec.Position{Line: at.Line, Column: at.Column}, Message: e.Msg}}
		}
	}
	for _, e := range p.Errors {
		if e.Kind != packages.TypeError {
			return []spec.Note{{Message: "the go command says: " + strings.Join(strings.Fields(e.Msg), " ")}}
		}
	}
	return nil
}
