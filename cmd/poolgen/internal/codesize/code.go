package codesize

import (
	"cmp"
	"context"
	"go/ast"
	"os"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/spec"
)

// Code is the machine code of a pool before it is linked: programs have no functions that they do not call.
type Code struct {
	Own, Core Part       // of the pool alone; of its suballocator
	Path      []Function // the fast path: methods that are called from outside, then the others in order of size
	PathErr   error      // why there is no fast path
}

// Part is the machine code of some files. Code that the compiler adds to the package as a whole does not count: initialisation, and comparisons of
// types.
type Part struct {
	Bytes     int64
	Functions int // closures included
}

// Function is a function on the fast path.
type Function struct {
	Symbol string // without the package
	Bytes  int64
}

// Measure compiles the package that changes lead to, the output of a plan, and measures some of its pools, in their order. target is the platform that it was compiled for,
// and the version of Go. cwd is the current directory, see [program.Build]. Nothing remains on disk.
//
// Cost: calls of the go command, a second or several if it has to compile the runtime first; then one of the disassembler for each step of a path.
func Measure(ctx context.Context, gocmd gomod.Go, cwd string, changes emit.Changes, plan *spec.Plan, pools []*Outline) (target string, code []Code, err error) {
	temp, err := os.MkdirTemp("", "poolgen-code-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(temp)
	compiled, err := program.Compile(ctx, gocmd, cwd, temp, changes, plan)
	if err != nil {
		return "", nil, err
	}
	o := object{calls: compiled}
	if o.sizes, err = compiled.Sizes(ctx); err != nil {
		return "", nil, err
	}
	for _, pool := range pools {
		code = append(code, o.measure(ctx, pool))
	}
	return compiled.Target, code, nil
}

// object is the compiled package.
type object struct {
	calls caller
	sizes map[string]int64 // bytes of each function, by its symbol
}

// caller returns the functions that each of the given functions calls.
type caller interface {
	Calls(ctx context.Context, functions []string) (map[string][]string, error)
}

func (o *object) measure(ctx context.Context, pool *Outline) (c Code) {
	c.Own, c.Core = o.part(pool.own), o.part(pool.core)
	c.Path, c.PathErr = o.fastPath(ctx, pool)
	return c
}

// part measures the functions that are declared.
func (o *object) part(functions []*ast.FuncDecl) (p Part) {
	declared := map[string]bool{}
	for _, f := range functions {
		declared[symbol(f)] = true
	}
	for symbol, n := range o.sizes {
		if ownedBy(declared, symbol) {
			p.Bytes += n
			p.Functions++
		}
	}
	return p
}

// entries are the methods at which the fast paths of pools begin.
var entries = []string{"Alloc", "Free", "AllocOn", "FreeOn", "FreeAsync"}

// fastPath finds the functions on the fast path of a pool: the methods in entries, the functions that they call, and so on. It follows machine code,
// in which an inlined function is part of its caller. It ends at functions of other packages, at functions with go:noinline, by which generated code
// marks what is not on the path, and at functions that get the engine ready.
func (o *object) fastPath(ctx context.Context, pool *Outline) ([]Function, error) {
	apart := map[string]bool{}
	var path, next []string
	for _, f := range slices.Concat(pool.own, pool.core) {
		name := symbol(f)
		apart[name] = outOfLine(f)
		if f.Recv != nil && receiver(f) == pool.Type && slices.Contains(entries, f.Name.Name) && o.sizes[name] > 0 {
			next = append(next, name)
		}
	}
	first, seen := len(next), map[string]bool{}
	for len(next) > 0 {
		calls, err := o.calls.Calls(ctx, next)
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
			if ours && !slow && !seen[callee] && o.sizes[callee] > 0 && !slices.Contains(next, callee) {
				next = append(next, callee)
			}
		}
	}
	list := make([]Function, len(path))
	for i, symbol := range path {
		list[i] = Function{symbol, o.sizes[symbol]}
	}
	slices.SortStableFunc(list[first:], func(a, b Function) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list, nil
}

// readies reports whether a function that makes these calls is off the fast path, because it gets the engine ready.
func readies(calls []string) bool {
	return slices.ContainsFunc(calls, func(callee string) bool {
		return strings.HasSuffix(callee, ").ready") || strings.HasSuffix(callee, "/runtime.(*Engine).Init")
	})
}

// outOfLine reports whether a function is kept out of line.
func outOfLine(f *ast.FuncDecl) bool {
	return f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:noinline" })
}

// symbol returns the linker's name of a function, without its package.
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
