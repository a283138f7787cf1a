package gates

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// diagnostics has the compiler's notes on some packages: on inlining, escapes and bounds checks.
type diagnostics struct {
	functions map[string][]function // by directory
	cores     map[string]string     // types of suballocators, by directory and the type of the pool
	notes     map[string][]note     // by file
}

// function is a function with the place of its text.
type function struct {
	name       string // "AllocVertex", "vertexCore.Take"
	file       string
	start, end int
}

type note struct {
	line, column int
	text         string
}

// compile builds packages, given as directories below dir, and reads the compiler's notes.
func compile(t *testing.T, command tempmod.Command, dirs ...string) *diagnostics {
	t.Helper()
	d := &diagnostics{functions: map[string][]function{}, cores: map[string]string{}, notes: map[string][]note{}}
	args := []string{"build", "-gcflags=-m=2 -d=ssa/check_bce/debug=1"}
	for _, sub := range dirs {
		d.parse(t, command.Dir, sub)
		args = append(args, "./"+sub)
	}
	_, stderr, err := command.Go(args...)
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, stderr)
	}
	for line := range strings.Lines(stderr) {
		if m := noteForm.FindStringSubmatch(line); m != nil {
			line, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			file := filepath.ToSlash(filepath.Clean(m[1]))
			d.notes[file] = append(d.notes[file], note{line, column, m[4]})
		}
	}
	return d
}

var noteForm = regexp.MustCompile(`^(\S+\.go):(\d+):(\d+): (.*)`)

// parse finds the functions of a package.
func (d *diagnostics) parse(t *testing.T, dir, pkg string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pkg, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", pkg, err)
	}
	for _, name := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		fatal.If(t, err)
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				file := filepath.ToSlash(filepath.Join(pkg, filepath.Base(name)))
				d.functions[pkg] = append(d.functions[pkg],
					function{nameOf(fn), file, fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
			}
			if typ, core := coreField(decl); core != "" {
				d.cores[pkg+" "+typ] = core
			}
		}
	}
}

// coreField returns the type that a declaration declares, and the type of its field core, or "".
func coreField(decl ast.Decl) (typ, core string) {
	g, ok := decl.(*ast.GenDecl)
	if !ok || g.Tok != token.TYPE {
		return "", ""
	}
	spec := g.Specs[0].(*ast.TypeSpec)
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return "", ""
	}
	for _, f := range st.Fields.List {
		if len(f.Names) == 1 && f.Names[0].Name == "core" {
			return spec.Name.Name, fmt.Sprint(f.Type)
		}
	}
	return "", ""
}

// nameOf returns the name of a function; that of a method includes its type.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	recv := fn.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	return fmt.Sprint(recv) + "." + fn.Name.Name
}

// within returns the notes on a function whose texts have a prefix.
func (d *diagnostics) within(t *testing.T, pkg, name, prefix string) (found []note) {
	t.Helper()
	for _, f := range d.functions[pkg] {
		if f.name != name {
			continue
		}
		for _, n := range d.notes[f.file] {
			if f.start <= n.line && n.line <= f.end && strings.HasPrefix(n.text, prefix) {
				found = append(found, n)
			}
		}
		return found
	}
	t.Fatalf("%s has no function %s", pkg, name)
	return nil
}

// canInline reports whether calls of a function are inlined.
func (d *diagnostics) canInline(t *testing.T, pkg, name string) bool {
	t.Helper()
	typ, method, _ := strings.Cut(name, ".")
	for _, called := range []string{name, "(*" + typ + ")." + method} {
		if len(d.within(t, pkg, name, "can inline "+called+" ")) > 0 {
			return true
		}
	}
	return false
}

// inlines reports whether a function inlines a call.
func (d *diagnostics) inlines(t *testing.T, pkg, name, callee string) bool {
	t.Helper()
	return len(d.within(t, pkg, name, "inlining call to "+callee)) > 0
}

// checks counts the bounds checks of a function. Those of a call that was inlined count once, at the call.
func (d *diagnostics) checks(t *testing.T, pkg, name string) int {
	t.Helper()
	places := map[note]bool{} // instances that were inlined report the same place again
	for _, n := range d.within(t, pkg, name, "Found Is") {
		places[n] = true
	}
	return len(places)
}

// escapes returns what the compiler puts on the heap in a function.
func (d *diagnostics) escapes(t *testing.T, pkg, name string) (found []note) {
	t.Helper()
	for _, n := range d.within(t, pkg, name, "") {
		if strings.HasSuffix(n.text, "escapes to heap") || strings.HasSuffix(n.text, "escapes to heap:") || strings.HasPrefix(n.text, "moved to heap") {
			found = append(found, n)
		}
	}
	return found
}
