package sim

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/simulator"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Without the tag the package is its comment alone: a program that imports it by mistake does not link the simulator.
func TestEmptyWithoutTag(t *testing.T) {
	c := build.Default
	c.BuildTags = nil
	pkg, err := c.ImportDir(".", 0)
	fatal.If(t, err)
	if !slices.Equal(pkg.GoFiles, []string{"doc.go"}) || len(pkg.Imports) > 0 {
		t.Errorf("the files %q import %q", pkg.GoFiles, pkg.Imports)
	}
}

// The documentation has the declarations of the package: without the tag, go doc does not show them.
func TestFunctionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/cuda.md")
	fatal.If(t, err)
	files, err := filepath.Glob("*.go")
	fatal.If(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		fatal.If(t, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			var text strings.Builder
			fatal.If(t, printer.Fprint(&text, fset, &ast.FuncDecl{Name: fn.Name, Type: fn.Type}))
			if call := strings.TrimPrefix(text.String(), "func "); !strings.Contains(string(page), "`"+call+"`") {
				t.Errorf("docs/cuda.md does not have %s", call)
			}
		}
	}
}

// The documentation has the fields of Config.
func TestConfigIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/cuda.md")
	fatal.If(t, err)
	_, text, _ := strings.Cut(string(page), "type Config struct {")
	text, _, _ = strings.Cut(text, "\n}")
	var documented []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "//" {
			documented = append(documented, words[0]+" "+words[1])
		}
	}
	var want []string
	for i := range reflect.TypeFor[simulator.Config]().NumField() {
		f := reflect.TypeFor[simulator.Config]().Field(i)
		want = append(want, f.Name+" "+f.Type.String())
	}
	if !slices.Equal(documented, want) {
		t.Errorf("docs/cuda.md has the fields %q, and Config has %q", documented, want)
	}
}
