package blocks

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// A block that a continue leaves behind is reported with the place of that continue, and not with the return behind the loop. The graph has no node for a
// continue: it is the one that follows the last node of the path.

// turned returns the world for the next block of the graph: a path that comes to the next turn of a loop remembers the continue it comes by.
func turned(w *world, next *cfg.Block) *world {
	switch next.Kind {
	case cfg.KindForPost, cfg.KindForLoop, cfg.KindRangeLoop:
	default:
		return w
	}
	if !holds(next.Stmt, w.last) {
		return w
	}
	own := w.clone()
	own.turn = continueBehind(next.Stmt, w.last)
	return own
}

// holds reports whether a place is in a statement.
func holds(s ast.Node, at token.Pos) bool { return s != nil && s.Pos() <= at && at < s.End() }

// continueBehind returns the place of the continue that runs directly after a node that ends at a place; token.NoPos if none does.
func continueBehind(loop ast.Stmt, end token.Pos) (at token.Pos) {
	first := func(list []ast.Stmt) {
		if len(list) > 0 && isContinue(list[0]) {
			at = list[0].Pos()
		}
	}
	for n := range ast.Preorder(loop) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Cond.End() == end {
				first(n.Body.List)
				if other, ok := n.Else.(*ast.BlockStmt); ok && !at.IsValid() {
					first(other.List)
				}
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, func(e ast.Expr) bool { return e.End() == end }) {
				first(n.Body)
			}
		case *ast.BlockStmt:
			if i := slices.IndexFunc(n.List, func(s ast.Stmt) bool { return s.End() == end }); i >= 0 {
				first(n.List[i+1:])
			}
		}
	}
	return at
}

func isContinue(s ast.Stmt) bool {
	b, ok := s.(*ast.BranchStmt)
	return ok && b.Tok == token.CONTINUE
}

// placeOfLoss returns where a path leaves a block of a loop behind, and what happens there: at a continue of the loop, or at the given place.
func (f *function) placeOfLoss(w *world, call *ast.CallExpr, at token.Pos, why string) (token.Pos, string) {
	loop := f.loopAround(call)
	if loop == nil || !holds(loop, w.turn) || w.turn < call.Pos() || holds(loop, at) {
		return at, why
	}
	return w.turn, "the loop goes on here with the block neither freed nor handed on"
}
