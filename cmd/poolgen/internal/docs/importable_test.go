package docs

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// importable are the packages that pages may import. The go command compiles those of the standard library, unless they are in the build cache. The others are
// type-checked from their source, without the bodies of functions: they are those with the simulated driver, which the go command would have to compile.
type importable struct {
	files    map[string][]string // import path -> files of source
	checked  map[string]*types.Package
	standard types.Importer
}

// list lists the packages.
func list(t testing.TB) *importable {
	w := &importable{files: map[string][]string{}, checked: map[string]*types.Package{}}
	args := []string{"list", "-deps", "-tags", "cudasim", "-f", "{{.ImportPath}}\t{{.Standard}}\t{{.Dir}}\t{{range .GoFiles}}{{.}} {{end}}{{range .CgoFiles}}{{.}} {{end}}", "./generated_examples/..."}
	for _, p := range known {
		args = append(args, p)
		dependOn(t, p)
	}
	cmd := exec.Command("go", append(args, "./runtime/poolvars")...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var standard []string
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if parts[1] == "true" {
			standard = append(standard, parts[0])
			continue
		}
		for _, name := range strings.Fields(parts[3]) {
			w.files[parts[0]] = append(w.files[parts[0]], filepath.Join(parts[2], name))
		}
	}
	export, err := tempmod.Compile(nil, standard...)
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	w.standard = importer.ForCompiler(token.NewFileSet(), "gc", export.Open)
	return w
}

// Import returns a package.
func (w *importable) Import(path string) (*types.Package, error) {
	if w.files[path] == nil {
		return w.standard.Import(path)
	}
	if p := w.checked[path]; p != nil {
		return p, nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range w.files[path] {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: w, IgnoreFuncBodies: true, FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	p, err := config.Check(path, fset, files, nil)
	w.checked[path] = p
	return p, err
}
