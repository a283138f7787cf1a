package docs

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
	args := []string{"-deps", "-tags", "cudasim", "-f", "{{.ImportPath}}\t{{.Standard}}\t{{.Dir}}\t{{range .GoFiles}}{{.}} {{end}}{{range .CgoFiles}}{{.}} {{end}}", "./generated_examples/..."}
	for _, p := range known {
		args = append(args, p)
		dependOn(t, p)
	}
	var standard []string
	for _, line := range goList(t, append(args, "./runtime/poolvars")...) {
		path := line[0]
		if line[1] == "true" {
			standard = append(standard, path)
			continue
		}
		for _, name := range strings.Fields(line[3]) {
			w.files[path] = append(w.files[path], filepath.Join(line[2], name))
		}
	}
	export := map[string]string{}
	for _, line := range goList(t, append([]string{"-export", "-f", "{{.ImportPath}}\t{{.Export}}"}, standard...)...) {
		export[line[0]] = line[1]
	}
	w.standard = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("package %s is not one that pages may import", path)
		}
		return os.Open(export[path])
	})
	return w
}

// goList returns the lines that go list prints, split at tabs.
func goList(t testing.TB, args ...string) (lines [][]string) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return lines
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
