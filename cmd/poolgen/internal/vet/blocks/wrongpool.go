package blocks

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// origins has what the walk learns about the pools of the blocks that a function frees.
type origins struct {
	wrong   []misplaced
	arrived map[*ast.CallExpr]map[*pools.Pool]bool // pools of the blocks that reach a free, on any path
	frees   map[*ast.CallExpr]*pools.Pool          // pool whose free it is
	held    map[types.Object]map[*pools.Pool]bool  // pools of the blocks that a variable holds, on any path
}

// misplaced is a block that reaches the free of another pool.
type misplaced struct {
	by   freeing
	site int
}

func newOrigins() *origins {
	return &origins{arrived: map[*ast.CallExpr]map[*pools.Pool]bool{}, frees: map[*ast.CallExpr]*pools.Pool{}, held: map[types.Object]map[*pools.Pool]bool{}}
}

// note adds a pool to the set of a key.
func note[K comparable](sets map[K]map[*pools.Pool]bool, key K, p *pools.Pool) {
	if sets[key] == nil {
		sets[key] = map[*pools.Pool]bool{}
	}
	sets[key][p] = true
}

// arrives notes that a block of a known pool reaches a free.
func (o *origins) arrives(by freeing, from *pools.Pool) {
	if from != nil && by.pool != nil {
		note(o.arrived, by.call, from)
		o.frees[by.call] = by.pool
	}
}

// chosen reports whether the program may choose between the frees of two pools in a way that the walk does not see, as by a flag in a struct: a block
// of either pool reaches the free of each.
func (o *origins) chosen(by freeing, from *pools.Pool) bool {
	if !o.arrived[by.call][by.pool] {
		return false
	}
	for call, p := range o.frees {
		if p == from && o.arrived[call][from] {
			return true
		}
	}
	return false
}

// wrongPools reports the blocks that were freed in another pool than their own.
func (f *function) wrongPools() {
	for _, x := range f.origins.wrong {
		if !f.origins.chosen(x.by, f.sites[x.site-1].pool) {
			f.wrongPool(x.by, x.site)
		}
	}
}

func (f *function) wrongPool(by freeing, at int) {
	from := f.sites[at-1]
	found := Finding{Code: spec.CodeWrongPool, Pos: by.call.Pos(), End: by.call.End(),
		Message: "the block is of " + from.pool.String() + ", and is given to " + by.pool.String()}
	if from.call != nil {
		found.Related = related(from.call.Pos(), "allocated here")
	}
	id, ok := ast.Unparen(by.call.Fun).(*ast.Ident)
	if ok && from.pool.Path == by.pool.Path && id.Name == spec.NameOf("Free", by.pool.Name, "") && f.onePool(by.arg) {
		free := spec.NameOf("Free", from.pool.Name, "")
		found.Fixes = []analysis.SuggestedFix{{Message: "free it with " + free,
			TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte(free)}}}}
	}
	f.report(found)
}

// onePool reports whether an expression is a variable that holds blocks of one pool only, on all paths.
func (f *function) onePool(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && len(f.origins.held[f.info.ObjectOf(id)]) == 1
}
