package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// A pool that is reset with its live blocks needs no free for each block. The Reset may be in another function of the package than the allocation: the
// function that ends a phase of the program.

// resets are the calls of Reset in a package.
type resets struct {
	calls   []resetCall
	handsOn map[string]bool // pools, by "path.Name", of which the package passes or assigns the default pool
}

// resetCall is a call of Reset that frees live blocks.
type resetCall struct {
	pool string // "path.Name"
	test bool   // in a test file, or in a function that only test files mention
	of   poolKind
	made types.Object // of is poolMade: the variable
}

// poolKind says which pool of a kind a call acts on.
type poolKind int

const (
	poolAny     poolKind = iota // a parameter, a field, ...
	poolDefault                 // the package's own
	poolMade                    // made by the function itself
)

// noteReset notes a call of Reset, unless the program cannot reach it: an unexported function that nothing mentions.
func (wk *walker) noteReset(file *ast.File, call *ast.CallExpr, mentioned map[types.Object]bool) {
	c, ok := wk.index.Call(wk.info, call)
	if !ok || c.Op != pools.Reset || !c.Pool.Drops() {
		return
	}
	path, _ := astutil.PathEnclosingInterval(file, call.Pos(), call.End())
	for _, n := range path {
		d, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		inProgram, called := mentioned[wk.info.Defs[d.Name]]
		if d.Recv != nil || d.Name.IsExported() || d.Name.Name == "main" || d.Name.Name == "init" {
			inProgram, called = true, true
		}
		if !called {
			return
		}
		f := wk.function(d, d.Type, d.Body)
		r := resetCall{pool: poolName(c.Pool), test: f.test || !inProgram}
		r.of, r.made = f.kindOf(f.instance(c, call), call)
		wk.resets.calls = append(wk.resets.calls, r)
		return
	}
	wk.resets.calls = append(wk.resets.calls, resetCall{pool: poolName(c.Pool), test: isTest(wk.fset, file)})
}

// noteHandedOn notes the pools whose default pool does not only receive calls.
func (wk *walker) noteHandedOn(file *ast.File) {
	direct := map[ast.Node]bool{}
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			direct[ast.Unparen(n.X)] = true
		case *ast.CallExpr:
			if c, ok := wk.index.Call(wk.info, n); ok && c.Op == pools.Default && !direct[n] {
				wk.resets.handsOn[poolName(c.Pool)] = true
			}
		}
	}
}

// isTest reports whether a file is a test file.
func isTest(fset *token.FileSet, at ast.Node) bool {
	return strings.HasSuffix(fset.Position(at.Pos()).Filename, "_test.go")
}

func poolName(p *pools.Pool) string { return p.Path + "." + p.Name }

// mentions returns the functions that code outside themselves mentions, and whether code outside of test files does.
func (wk *walker) mentions(files []*ast.File) map[types.Object]bool {
	mentioned := map[types.Object]bool{}
	for _, file := range files {
		test := isTest(wk.fset, file)
		for _, d := range file.Decls {
			var self types.Object
			if fn, ok := d.(*ast.FuncDecl); ok {
				self = wk.info.Defs[fn.Name]
			}
			for n := range ast.Preorder(d) {
				if id, ok := n.(*ast.Ident); ok && wk.info.Uses[id] != self {
					mentioned[wk.info.Uses[id]] = mentioned[wk.info.Uses[id]] || !test
				}
			}
		}
	}
	return mentioned
}

// kindOf returns which pool an instance is; call is a method of it or a function of the package.
func (f *function) kindOf(instance string, call *ast.CallExpr) (poolKind, types.Object) {
	if instance == "default" {
		return poolDefault, nil
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok && f.made[f.info.ObjectOf(id)] {
			return poolMade, f.info.ObjectOf(id)
		}
	}
	return poolAny, nil
}

// isReset reports whether a Reset in the package may free the block of a site. One in a test file frees blocks of tests alone.
func (f *function) isReset(s site) bool {
	name := poolName(s.pool)
	of, made := f.kindOf(s.instance, s.call)
	return slices.ContainsFunc(f.resets.calls, func(r resetCall) bool {
		return r.pool == name && (f.test || !r.test) && r.reaches(of, made, f.resets.handsOn[name])
	})
}

// reaches reports whether the Reset may act on a pool. If the default pool is handed on, a parameter may be that pool.
func (r resetCall) reaches(of poolKind, made types.Object, handsOn bool) bool {
	switch {
	case of == poolMade || r.of == poolMade:
		return r.made == made || of == poolAny || r.of == poolAny
	case of == r.of:
		return true
	}
	return handsOn
}
