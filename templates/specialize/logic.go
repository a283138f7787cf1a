package specialize

import (
	"go/ast"
	"go/token"
)

// logic simplifies a kept && or ||: an operand that parameters make neutral is deleted, with the operator.
func (c *cutter) logic(x *ast.BinaryExpr) {
	if x.Op != token.LAND && x.Op != token.LOR || c.isConst(x) {
		return
	}
	t, err := c.fold(x)
	if err != nil {
		c.err = err
		return
	}
	if t != unknown {
		word := map[truth]string{yes: "true", no: "false"}[t]
		c.replace(c.src, c.src.offset(x.Pos()), c.src.offset(x.End()), word)
		c.drop(x.X)
		c.drop(x.Y)
		return
	}
	switch keep := c.survivor(x); keep {
	case x.X:
		c.delete(c.src, c.src.offset(x.X.End()), c.src.offset(x.End()))
		c.drop(x.Y)
	case x.Y:
		c.delete(c.src, c.src.offset(x.Pos()), c.src.offset(x.Y.Pos()))
		c.drop(x.X)
	}
}

// survivor returns the operand that is all that is left of x, or x if both stay.
func (c *cutter) survivor(x *ast.BinaryExpr) ast.Expr {
	l, _ := c.fold(x.X)
	r, _ := c.fold(x.Y)
	neutral := yes
	if x.Op == token.LOR {
		neutral = no
	}
	switch {
	case l == neutral:
		return x.Y
	case r == neutral:
		return x.X
	}
	return x
}

// isConst reports whether the checker computed x: such an expression has no operand to keep.
func (c *cutter) isConst(x ast.Expr) bool { return c.info.Types[x].Value != nil }

// bare removes the parentheses that simplifying leaves around a whole expression: feature && (a || b).
func (c *cutter) bare(x ast.Expr) {
	left := c.left(x)
	if paren, ok := left.(*ast.ParenExpr); ok && left != x {
		c.strip(paren)
	}
}

// paren removes parentheses around a single operand that simplifying left: (feature && a) || b.
func (c *cutter) paren(x *ast.ParenExpr) {
	left := c.left(x.X)
	if _, binary := left.(*ast.BinaryExpr); !binary && left != x.X {
		c.strip(x)
	}
}

// left returns what simplifying leaves of an expression.
func (c *cutter) left(x ast.Expr) ast.Expr {
	for {
		b, ok := x.(*ast.BinaryExpr)
		if !ok || b.Op != token.LAND && b.Op != token.LOR || c.isConst(b) {
			return x
		}
		next := c.survivor(b)
		if next == b {
			return x
		}
		x = next
	}
}

// strip removes parentheses, unless what they hold is decided and replaced as a whole.
func (c *cutter) strip(paren *ast.ParenExpr) {
	if t, err := c.fold(paren); err != nil || t != unknown {
		return
	}
	for _, at := range []int{c.src.offset(paren.Lparen), c.src.offset(paren.Rparen)} {
		c.delete(c.src, at, at+1)
	}
}
