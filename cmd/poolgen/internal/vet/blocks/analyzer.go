package blocks

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// Analyzer walks the functions of a package. Its result is [Findings], of which each rule reports its own.
var Analyzer = &analysis.Analyzer{
	Name:       "poolblocks",
	Doc:        "follow blocks of memory pools through functions",
	Run:        run,
	Requires:   []*analysis.Analyzer{pools.Analyzer},
	FactTypes:  []analysis.Fact{new(Summary)},
	ResultType: reflect.TypeFor[Findings](),
}

// Finding is what the walk found against a rule.
type Finding struct {
	Code     spec.Code
	Pos, End token.Pos
	Message  string
	Related  []analysis.RelatedInformation
	Fixes    []analysis.SuggestedFix
}

// Findings are in the order of their places.
type Findings []Finding

// walker is the state that the walks of all functions of a package share.
type walker struct {
	pass     *analysis.Pass
	info     *types.Info
	fset     *token.FileSet
	index    *pools.Index
	known    map[*types.Func]*Summary                 // of the package's own functions
	test     bool                                     // the function is in a test file
	literals map[*ast.FuncLit]map[types.Object]effect // of the function literals that were walked
	forced   map[string]bool                          // pools that the function closes by force, by "path.Name"
	resets   *resets
}

// rounds bounds how often the summaries of functions that call each other are recomputed.
const rounds = 3

func run(pass *analysis.Pass) (any, error) {
	wk := &walker{pass: pass, info: pass.TypesInfo, fset: pass.Fset, index: pass.ResultOf[pools.Analyzer].(*pools.Index), known: map[*types.Func]*Summary{},
		literals: map[*ast.FuncLit]map[types.Object]effect{}, resets: &resets{handsOn: map[string]bool{}}}
	if wk.index.Empty() && standard(pass) {
		return Findings(nil), nil
	}
	var decls []*ast.FuncDecl
	var lits []*ast.FuncLit
	mentioned := wk.mentions(pass.Files)
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		wk.noteHandedOn(file)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					decls = append(decls, n)
				}
			case *ast.FuncLit:
				lits = append(lits, n)
			case *ast.CallExpr:
				wk.noteReset(file, n, mentioned)
			}
			return true
		})
	}
	for range rounds {
		if !wk.infer(decls) {
			break
		}
	}
	if wk.index.Empty() {
		return Findings(nil), nil
	}
	var all Findings
	for _, d := range decls {
		all = append(all, wk.check(d, d.Type, d.Body)...)
	}
	for _, l := range lits {
		all = append(all, wk.check(l, l.Type, l.Body)...)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return int(a.Pos) - int(b.Pos) })
	return all, nil
}

// standard reports whether a package belongs to no module, as those of the standard library: known.go has what is known of its functions.
func standard(pass *analysis.Pass) bool { return pass.Module == nil || pass.Module.Path == "" }

// infer computes the summaries of the package's functions from those known so far, and reports whether any has changed.
func (wk *walker) infer(decls []*ast.FuncDecl) (changed bool) {
	for _, d := range decls {
		fn, ok := wk.info.Defs[d.Name].(*types.Func)
		if !ok || !wk.interesting(d, fn) {
			continue
		}
		f := wk.function(d, d.Type, d.Body)
		f.walk()
		s := f.summarize()
		if s.empty() {
			continue
		}
		if old := wk.known[fn]; old == nil || !reflect.DeepEqual(old, s) {
			wk.known[fn] = s
			wk.pass.ExportObjectFact(fn, s)
			clear(wk.literals)
			changed = true
		}
	}
	return changed
}

// interesting reports whether a function has to do with blocks, or ends the program.
func (wk *walker) interesting(d *ast.FuncDecl, fn *types.Func) bool {
	sig := fn.Signature()
	for _, p := range parameters(sig) {
		if wk.blockLike(p.Type()) || isTypeParam(p.Type()) || !wk.index.Empty() && (isNumber(p.Type()) || wk.holdsBlock(p.Type())) {
			return true
		}
	}
	if wk.index.Empty() {
		return sig.Results().Len() == 0 && endsInCall(d.Body)
	}
	for r := range sig.Results().Variables() {
		if wk.blockLike(r.Type()) {
			return true
		}
	}
	return sig.Results().Len() == 0 && endsInCall(d.Body)
}

// endsInCall reports whether the last statement is a call, as in a function that never returns.
func endsInCall(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	e, ok := b.List[len(b.List)-1].(*ast.ExprStmt)
	if !ok {
		return false
	}
	_, ok = e.X.(*ast.CallExpr)
	return ok
}

// function prepares the walk of a function.
func (wk *walker) function(node ast.Node, typ *ast.FuncType, body *ast.BlockStmt) *function {
	own := *wk
	f := &function{walker: &own, node: node, typ: typ, body: body, born: map[ast.Node]int{}, tags: map[ast.Expr]ast.Expr{}, atoms: map[string]int{},
		made: map[types.Object]bool{}, closed: map[types.Object]bool{}, origins: newOrigins(), singles: map[int]bool{}, older: map[int]int{}, plains: map[types.Object]bool{},
		comms: map[ast.Stmt]bool{}, unwanted: map[ast.Expr]bool{}}
	own.test = isTest(wk.fset, body)
	own.forced = map[string]bool{}
	f.vars = f.variables()
	f.scan()
	for _, v := range f.paramVars() {
		n := 0
		f.subjects = append(f.subjects, v)
		if f.vars.local[v] && wk.follows(v.Type()) && len(f.sites) < maxSites {
			f.sites = append(f.sites, site{})
			n = len(f.sites)
		}
		f.params = append(f.params, n)
	}
	if d, ok := node.(*ast.FuncDecl); ok {
		f.ends = d.Name.Name == "main" && d.Recv == nil && wk.pass.Pkg.Name() == "main"
	}
	return f
}

// check walks a function and reports findings.
func (wk *walker) check(node ast.Node, typ *ast.FuncType, body *ast.BlockStmt) Findings {
	f := wk.function(node, typ, body)
	f.borrow()
	f.walk()
	if f.overflow {
		return nil
	}
	f.wrongPools()
	return f.withoutSingles(f.found)
}

func (f *function) callee(call *ast.CallExpr) *types.Func { return pools.Callee(f.info, call) }

// summary returns the summary of the function that a call calls; nil if there is none.
func (f *function) summary(call *ast.CallExpr) *Summary {
	fn := f.callee(call)
	if fn == nil {
		return nil
	}
	if s := f.known[fn]; s != nil || fn.Pkg() == f.pass.Pkg {
		return s
	}
	s := new(Summary)
	if f.pass.ImportObjectFact(fn, s) {
		return s
	}
	return nil
}

// pool finds a pool by "path.Name".
func (f *function) pool(name string) *pools.Pool {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return nil
	}
	return f.index.Known(name[:at], name[at+1:])
}

// mayReturn tells the control-flow graph which calls may return.
func (f *function) mayReturn(call *ast.CallExpr) bool {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := f.info.ObjectOf(id).(*types.Builtin); ok {
			return b.Name() != "panic"
		}
	}
	fn := f.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return true
	}
	s := f.summary(call)
	return !neverReturns(fn) && (s == nil || !s.NoReturn)
}
