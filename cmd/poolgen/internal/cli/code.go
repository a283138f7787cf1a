package cli

import (
	"cmp"
	"context"
	"go/ast"
	"os"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
)

// code is the machine code of the generated package.
type code struct {
	target string // what it is for
	object caller
	sizes  map[string]int64 // bytes of each function, by its symbol
	temp   string           // folder to be removed
}

// codeReport is what explain tells of the machine code of a pool.
type codeReport struct {
	err       error // why there is nothing to tell
	target    string
	own, core measured
	path      []reached
	pathErr   error // why there is no path
}

// measureCode adds the machine code to reports of pools.
func (p *Process) measureCode(ctx context.Context, u *unit, reports []report) {
	progress := p.progress()
	defer progress.stop()
	progress.say("compile %s", u.name)
	c, err := p.compileCode(ctx, u)
	defer c.remove()
	for i := range reports {
		r := &reports[i]
		r.code = &codeReport{err: err, target: c.target}
		if err == nil {
			r.code.own, r.code.core = c.part(r.sources, r.outline.files...), c.part(r.sources, r.outline.coreFile)
			r.code.path, r.code.pathErr = c.fastPath(ctx, r.sources, &r.outline, r.pool.Name)
		}
	}
}

// caller tells which functions each of the given ones calls.
type caller interface {
	Calls(ctx context.Context, functions []string) (map[string][]string, error)
}

// compileCode compiles the generated package, in a folder that is the caller's to remove, also after an error.
func (p *Process) compileCode(ctx context.Context, u *unit) (c code, err error) {
	if err = p.compare(textFormat, u); err != nil {
		return c, err
	}
	if c.temp, err = os.MkdirTemp("", "poolgen-code-"); err != nil {
		return c, err
	}
	object, err := program.Compile(ctx, p.gocmd(), p.Dir, c.temp, u.changes)
	if err != nil {
		return c, err
	}
	c.target, c.object = object.Target, object
	c.sizes, err = object.Sizes(ctx)
	return c, err
}

func (c *code) remove() {
	if c.temp != "" {
		os.RemoveAll(c.temp)
	}
}

// measured is the machine code of some files.
type measured struct {
	bytes     int64
	functions int
}

// part measures the functions that files declare, closures included. What the compiler adds to a package as a whole counts for none: its
// initialisation, and comparisons of its types.
func (c *code) part(s *sources, files ...string) (m measured) {
	declared := map[string]bool{}
	for _, name := range files {
		for _, f := range functionsOf(s.trees[name]) {
			declared[symbol(f)] = true
		}
	}
	for symbol, n := range c.sizes {
		if ownedBy(declared, symbol) {
			m.bytes += n
			m.functions++
		}
	}
	return m
}

// entries are the methods that the fast paths of pools begin at.
var entries = []string{"Alloc", "Free", "AllocOn", "FreeOn", "FreeAsync"}

// reached is a function on the fast path.
type reached struct {
	symbol string
	bytes  int64
}

// fastPath finds what the methods entries of a pool come to: themselves, and what they call, and so on, in machine code, so that what was inlined is
// part of its caller. It ends at functions of other packages; at those that are kept out of line, which generated code has for what is not of the
// path; and at what has the engine made ready. They come in order of size, entries first.
func (c *code) fastPath(ctx context.Context, s *sources, o *outline, pool string) ([]reached, error) {
	apart := map[string]bool{}
	var path, next []string
	for _, file := range slices.Concat(o.files, []string{o.coreFile}) {
		for _, f := range functionsOf(s.trees[file]) {
			name := symbol(f)
			apart[name] = outOfLine(f)
			if f.Recv != nil && receiver(f) == pool+"Pool" && slices.Contains(entries, f.Name.Name) && c.sizes[name] > 0 {
				next = append(next, name)
			}
		}
	}
	first, seen := len(next), map[string]bool{}
	for len(next) > 0 {
		calls, err := c.object.Calls(ctx, next)
		if err != nil {
			return nil, err
		}
		var further []string
		for _, caller := range next {
			seen[caller] = true
			if len(path) >= first && readies(calls[caller]) {
				continue
			}
			path = append(path, caller)
			further = append(further, calls[caller]...)
		}
		next = nil
		for _, callee := range further {
			slow, ours := apart[callee]
			if ours && !slow && !seen[callee] && c.sizes[callee] > 0 && !slices.Contains(next, callee) {
				next = append(next, callee)
			}
		}
	}
	list := make([]reached, len(path))
	for i, symbol := range path {
		list[i] = reached{symbol, c.sizes[symbol]}
	}
	slices.SortStableFunc(list[first:], func(a, b reached) int { return cmp.Compare(b.bytes, a.bytes) })
	return list, nil
}

// readies reports whether a function that makes these calls is off the fast path: it wants the engine.
func readies(calls []string) bool {
	return slices.ContainsFunc(calls, func(callee string) bool {
		return strings.HasSuffix(callee, ").ready") || strings.HasSuffix(callee, "/runtime.(*Engine).Init")
	})
}

// outOfLine reports whether a function is kept out of line.
func outOfLine(f *ast.FuncDecl) bool {
	return f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:noinline" })
}

// functionsOf lists the functions and methods that a file declares.
func functionsOf(file *ast.File) (list []*ast.FuncDecl) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

// symbol is what the linker calls a function, without its package.
func symbol(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	if _, pointer := f.Recv.List[0].Type.(*ast.StarExpr); pointer {
		return "(*" + receiver(f) + ")." + f.Name.Name
	}
	return receiver(f) + "." + f.Name.Name
}

// ownedBy reports whether a symbol belongs to one of the declared functions: (*T).F.func1 and (*T).F-fm to (*T).F, (*T).G to T.G.
func ownedBy(declared map[string]bool, symbol string) bool {
	for {
		if declared[symbol] || declared[strings.NewReplacer("(*", "", ")", "").Replace(symbol)] {
			return true
		}
		i := strings.LastIndexAny(symbol, ".-")
		if i < 0 {
			return false
		}
		symbol = symbol[:i]
	}
}
