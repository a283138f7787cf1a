package gates

import (
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	load "golang.org/x/tools/go/packages"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// gained has what must not grow unnoticed. A change that needs more says so: it raises the figure in a commit of its own.
var gained = []struct {
	what  string
	most  int
	count func(*testing.T, string) int
}{
	{"lines of the core of quickstart", 110, lines("generated_examples/quickstart/vertex_core.go")},
	{"lines of the shell of quickstart", 300, lines("generated_examples/quickstart/vertex_shell.go")},
	{"lines of the core of lru", 13, lines("generated_examples/lru/value_core.go")},
	{"lines of the shell of lru", 240, lines("generated_examples/lru/value_shell.go")},
	{"lines of the core of grpcserver", 30, lines("generated_examples/grpcserver/message_core.go")},
	{"lines of the shell of grpcserver", 215, lines("generated_examples/grpcserver/message_shell.go")},
	{"methods of Engine", 220, methodsOfEngine},
	{"parts of Engine", 18, partsOfEngine},
	{"files of the engine that call each other in turns", 2, filesInTurns},
	{"lines of the files that git tracks", 293_200, trackedLines},
}

// lines counts the lines of a file.
func lines(name string) func(*testing.T, string) int {
	return func(t *testing.T, root string) int {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		fatal.If(t, err)
		return strings.Count(string(text), "\n")
	}
}

// eachOfEngine calls see with each declaration of the engine's package.
func eachOfEngine(t *testing.T, root string, see func(ast.Decl)) {
	t.Helper()
	for _, name := range goFiles(t, root, "runtime/poolimpl") {
		if filepath.ToSlash(filepath.Dir(name)) != "runtime/poolimpl" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		fatal.If(t, err)
		for _, d := range parse(t, name, text).tree.Decls {
			see(d)
		}
	}
}

func methodsOfEngine(t *testing.T, root string) (n int) {
	eachOfEngine(t, root, func(d ast.Decl) {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			if p, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				if id, ok := p.X.(*ast.Ident); ok && id.Name == "Engine" {
					n++
				}
			}
		}
	})
	return n
}

func partsOfEngine(t *testing.T, root string) (n int) {
	eachOfEngine(t, root, func(d ast.Decl) {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			return
		}
		for _, s := range g.Specs {
			if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == "Engine" {
				n = len(s.Type.(*ast.StructType).Fields.List)
			}
		}
	})
	return n
}

// filesInTurns counts the files of the largest circle of files of which each calls the next. A call through an interface is none.
func filesInTurns(t *testing.T, root string) (most int) {
	t.Helper()
	list, err := load.Load(&load.Config{Mode: load.LoadSyntax, Dir: root}, "./runtime/poolimpl")
	if err != nil || len(list) != 1 || len(list[0].Errors) > 0 {
		t.Fatalf("the engine does not load: %v, %v", list, err)
	}
	p, calls := list[0], map[string]map[string]bool{}
	for id, used := range p.TypesInfo.Uses {
		f, ok := used.(*types.Func)
		if !ok || f.Pkg() != p.Types || f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()) {
			continue
		}
		from, to := p.Fset.Position(id.Pos()).Filename, p.Fset.Position(f.Pos()).Filename
		if calls[from] == nil {
			calls[from] = map[string]bool{}
		}
		calls[from][to] = true
	}
	for from := range calls {
		n := 0
		for to := range reached(calls, from, map[string]bool{}) {
			if reached(calls, to, map[string]bool{})[from] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// reached adds to seen what can be reached from a file.
func reached(calls map[string]map[string]bool, from string, seen map[string]bool) map[string]bool {
	for to := range calls[from] {
		if !seen[to] {
			seen[to] = true
			reached(calls, to, seen)
		}
	}
	return seen
}

func trackedLines(t *testing.T, root string) (n int) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("git does not list the files of the module: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if text, err := os.ReadFile(filepath.Join(root, name)); err == nil { // else it was deleted
			n += strings.Count(string(text), "\n")
		}
	}
	return n
}

// TestWhatIsGained holds the figures of the table.
func TestWhatIsGained(t *testing.T) {
	root := tempmod.Root(t)
	for _, g := range gained {
		switch n := g.count(t, root); {
		case n > g.most:
			t.Errorf("%s: %d, and the table says %d", g.what, n, g.most)
		case 10*n < 9*g.most:
			t.Errorf("%s: %d, so the table can say less than %d", g.what, n, g.most)
		}
	}
}
