package blocks

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/cfg"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// Functions beyond these bounds are skipped.
const (
	maxSites  = 62
	maxWorlds = 3000 // of a function
)

// site is an origin of blocks: an allocation, or a parameter.
type site struct {
	call     *ast.CallExpr // nil for a parameter
	pool     *pools.Pool   // nil if unknown
	instance string        // identifies the pool among those of its type; "" if unknown
	size     string        // text of the allocation's argument
	owner    bool          // an owner of a block: a FooRef
	borrowed bool          // parameter of a function that is called by With
	ordered  bool          // With frees it on a stream
	handled  bool          // allocated together with a handle
	freedBy  *pools.Pool   // a parameter: the pool whose free was called
	ofWith   bool          // the block of With, which the function keeps
	found    bool          // taken from a field, a slice, a map or a channel
	batch    bool          // all blocks of a slice
	field    *field        // of a parameter, where the block was found
	moved    bool          // other code may have put another block into the field before
}

// field is a field of what a parameter points to.
type field struct {
	param int
	name  string
}

// function is the walk of one function or function literal.
type function struct {
	*walker
	node     ast.Node // *ast.FuncDecl or *ast.FuncLit
	typ      *ast.FuncType
	body     *ast.BlockStmt
	vars     *variables
	sites    []site
	born     map[ast.Node]int // site by the call that makes it
	subjects []types.Object   // the parameters, and the variables that a literal captures
	params   []int            // site of each subject, 0 if it is not followed
	deferred []*ast.CallExpr
	tags     map[ast.Expr]ast.Expr // of switches, by the values of their cases
	atoms    map[string]int        // how often a condition occurs
	doubts   bool                  // the function expects frees to be refused
	ends     bool                  // the program ends with the function, or all blocks are freed
	made     map[types.Object]bool // pools that the function makes
	closed   map[types.Object]bool // those pools that it closes
	origins  *origins
	frees    bool                  // the function frees blocks
	releases bool                  // the function releases a Ref
	older    map[int]int           // sites of the blocks of earlier turns of a loop, by the sites of their allocations
	finds    int                   // sites of blocks that the function found
	plains   map[types.Object]bool // variables with numbers for blocks, by whether their uses hide no block
	singles  map[int]bool          // batches of which single blocks are freed or handed on
	comms    map[ast.Stmt]bool     // sends and receives that select cases
	unwanted map[ast.Expr]bool     // conditions under which a test fails
	exits    []exit
	found    []Finding
	noReturn bool
	overflow bool
}

// walk follows all paths of the function.
func (f *function) walk() {
	graph := cfg.New(f.body, f.mayReturn)
	f.noReturn = graph.NoReturn()
	type step struct {
		block *cfg.Block
		w     *world
	}
	seen := map[int32]map[string]bool{}
	var todo []step
	push := func(b *cfg.Block, w *world) {
		k := w.key()
		if seen[b.Index] == nil {
			seen[b.Index] = map[string]bool{}
		}
		if !seen[b.Index][k] {
			seen[b.Index][k] = true
			todo = append(todo, step{b, w})
		}
	}
	push(graph.Blocks[0], f.entry())
	for n := 0; len(todo) > 0; n++ {
		if n > maxWorlds || len(f.sites) > maxSites {
			f.overflow = true
			return
		}
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f.block(s.block, s.w.clone(), push)
	}
}

// entry returns the world in which the function begins: its subjects are the caller's blocks.
func (f *function) entry() *world {
	w := newWorld()
	for i, v := range f.subjects {
		if f.params[i] > 0 {
			w.env[v] = value{site: f.params[i]}
			if isNumber(v.Type()) || f.index.Handle(v.Type()) {
				w.env[v] = w.env[v].asNumber()
			}
			w.state(f.params[i]).status = live
		}
	}
	if f.typ.Results != nil {
		for _, field := range f.typ.Results.List {
			for _, name := range field.Names {
				if o := f.info.Defs[name]; o != nil && f.vars.local[o] {
					w.env[o] = value{null: true}
				}
			}
		}
	}
	return w
}

// block runs the nodes of a block of the graph and passes the world on.
func (f *function) block(b *cfg.Block, w *world, push func(*cfg.Block, *world)) {
	f.enter(b, w)
	nodes := b.Nodes
	var cond ast.Expr
	if len(b.Succs) == 2 && len(nodes) > 0 {
		if e, ok := nodes[len(nodes)-1].(ast.Expr); ok && f.decides(e) {
			cond, nodes = e, nodes[:len(nodes)-1]
		}
	}
	for _, n := range nodes {
		if s, ok := n.(ast.Stmt); !ok || !f.comms[s] {
			f.stmt(w, n)
		}
		w.last = n.End()
	}
	if cond == nil {
		for _, next := range b.Succs {
			push(next, turned(w, next))
		}
		return
	}
	w.last = cond.End()
	unwanted := f.unwanted[cond]
	if tag := f.tags[cond]; tag != nil {
		cond = &ast.BinaryExpr{X: tag, OpPos: cond.Pos(), Op: token.EQL, Y: cond}
	}
	for i, truth := range []bool{true, false} {
		own := w.clone()
		if truth && unwanted {
			f.unexpected(own, cond)
		}
		for _, next := range f.refine(own, cond, truth) {
			push(b.Succs[i], turned(next, b.Succs[i]))
		}
	}
}

// enter runs what the graph does not have at the beginning of a block: the next values of a range, and the send or receive of a case of a select,
// which the graph evaluates before the case is chosen.
func (f *function) enter(b *cfg.Block, w *world) {
	switch s := b.Stmt.(type) {
	case *ast.RangeStmt:
		if b.Kind == cfg.KindRangeBody {
			f.ranged(w, s)
		}
	case *ast.CommClause:
		if b.Kind == cfg.KindSelectCaseBody {
			f.stmt(w, s.Comm)
		}
	}
}

// decides reports whether an expression at the end of a block decides which block follows.
func (f *function) decides(e ast.Expr) bool {
	if f.tags[e] != nil {
		return true
	}
	t := f.info.TypeOf(e)
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

// paramVars returns the receiver and parameters as objects of the body.
func (f *function) paramVars() []*types.Var {
	var sig *types.Signature
	switch n := f.node.(type) {
	case *ast.FuncDecl:
		if o, ok := f.info.Defs[n.Name].(*types.Func); ok {
			sig = o.Signature()
		}
	case *ast.FuncLit:
		sig, _ = f.info.TypeOf(n).(*types.Signature)
	}
	if sig == nil {
		return nil
	}
	return parameters(sig)
}

// newSite returns the number of the site of a call; the same for the same call.
func (f *function) newSite(call *ast.CallExpr, s site) int {
	if n := f.born[call]; n > 0 {
		return n
	}
	s.call = call
	f.sites = append(f.sites, s)
	f.born[call] = len(f.sites)
	return len(f.sites)
}

// report notes a finding once.
func (f *function) report(found Finding) {
	for i := range f.found {
		if f.found[i].Code == found.Code && f.found[i].Pos == found.Pos {
			return
		}
	}
	f.found = append(f.found, found)
}

// related returns a second place of a finding.
func related(pos token.Pos, message string) []analysis.RelatedInformation {
	if !pos.IsValid() {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: pos, End: pos, Message: message}}
}
