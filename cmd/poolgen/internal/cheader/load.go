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
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/poolgen/poolgen/spec"
)

// Source says where the types of items come from: the packages as they will be once the generated files are written.
type Source struct {
	Environ   []string          // of the go command
	Dir       string            // a directory that exists, from which the go command runs
	Output    string            // the output directory, which need not exist
	Generated map[string][]byte // files that will be in the output directory
}

// loaded are the packages of some items.
type loaded struct {
	packages map[string]*packages.Package // by import path; "" is the output directory
	faulty   []*packages.Package          // those with errors, and of what they import
	sizes    types.Sizes                  // of the target
	names    names                        // of all headers
}

// load loads the packages of items by one call of the go command: their source, and the compiler's export data of their imports. It fails if the go
// command cannot list packages at all. Declarations that do not compile do no harm unless an item needs them.
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
			path = "" // the output directory is named by its path on disk
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
	if err == nil && len(list) == 0 { // packages.Load drops the messages of the go command if that also compiles
		cfg.Mode = packages.NeedName | packages.NeedImports | packages.NeedDeps
		list, err = packages.Load(cfg, patterns...)
	}
	if err != nil {
		cause, printed, _ := strings.Cut(strings.TrimPrefix(err.Error(), "err: "), ": stderr: ")
		return nil, &refused{why: "does not load: " + cmp.Or(oneLine(printed), oneLine(cause)), help: "see what go vet says"}
	}
	return list, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

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

// target is the architecture that the go command compiles for, used if no package tells.
func (s *Source) target() string {
	arch := build.Default.GOARCH
	for _, v := range s.Environ {
		if value, ok := strings.CutPrefix(v, "GOARCH="); ok && value != "" {
			arch = value
		}
	}
	return arch
}
