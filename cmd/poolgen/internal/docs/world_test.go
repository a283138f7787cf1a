package docs

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/compile"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// world holds what Go code in pages is compiled against: the packages of this module, the standard library, and the source of the packages that the code
// belongs to.
type world struct {
	t     testing.TB
	plan  *spec.Plan        // of testdata/world
	pools map[string][]byte // its generated files
	names map[string]bool   // see foo
}

// newWorld makes a world by calls of the go command, once. It needs no lock, because the tests do not run at the same time.
func newWorld(t testing.TB) *world {
	t.Helper()
	if imported == nil {
		first.t = t
		first.generate()
		imported = list(t)
	}
	w := first
	w.t = t
	return &w
}

var (
	first    world
	imported *importable
)

// dependOn opens the source of a package of this module. go test then knows that its cached result depends on that source.
func dependOn(t testing.TB, path string) {
	dir, ours := strings.CutPrefix(path, tempmod.Path+"/")
	if !ours {
		return
	}
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of %s, %v", path, err)
	}
	for _, file := range files {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
}

// generate makes the pools of testdata/world.
func (w *world) generate() {
	const file = "testdata/world/poolgen.yaml"
	text, err := os.ReadFile(file)
	fatal.If(w.t, err)
	doc, found := spec.Load(file, text)
	if doc == nil {
		w.t.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{Dir: "world"})
	if len(found) > 0 {
		w.t.Fatal(found.Text(false))
	}
	w.plan = plan
	if w.pools, found = compile.Files(w.t.Context(), plan, "poolgen.yaml", "docs", nil, nil); len(found) > 0 {
		w.t.Fatal(found.Text(false))
	}
}

// files parses the package that blocks are added to.
func (w *world) files(pkg string) (*token.FileSet, string, []*ast.File) {
	fset := token.NewFileSet()
	dir := filepath.Join(root, pkg)
	if pkg == "" {
		dir = "testdata/world"
	}
	context := build.Default
	context.BuildTags = []string{"cudasim"}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	fatal.If(w.t, err)
	var files []*ast.File
	add := func(name string, text any) {
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		fatal.If(w.t, err)
		files = append(files, file)
	}
	for _, name := range names {
		if match, err := context.MatchFile(dir, filepath.Base(name)); err == nil && match && !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			fatal.If(w.t, err)
			add(filepath.Base(name), text)
		}
	}
	if pkg == "" {
		for name, text := range w.pools {
			add(name, text)
		}
	}
	return fset, files[0].Name.Name, files
}
