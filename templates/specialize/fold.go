package specialize

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// truth is what is known of a condition when only the parameters are.
type truth int

const (
	unknown truth = iota
	yes
	no
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// fold evaluates a condition as far as parameters decide it. It is an error if a parameter matters and yet the value
// cannot be known here, because it also depends on the size of a type.
func (p *program) fold(x ast.Expr) (truth, error) {
	if t, ok, err := p.foldConst(x); ok || err != nil {
		return t, err
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return p.fold(x.X)
	case *ast.UnaryExpr:
		t, err := p.fold(x.X)
		if x.Op != token.NOT || err != nil || t == unknown {
			return unknown, err
		}
		return truthOf(t == no), nil
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return p.foldLogic(x)
		}
	}
	return unknown, nil
}

// foldConst evaluates conditions that are constant; ok says that x is one.
func (p *program) foldConst(x ast.Expr) (t truth, ok bool, err error) {
	tv := p.info.Types[x]
	if tv.Value == nil || tv.Value.Kind() != constant.Bool {
		return unknown, false, nil
	}
	d := p.dependsOn(x)
	switch {
	case d.decides():
		return truthOf(constant.BoolVal(tv.Value)), true, nil
	case d.item:
		return unknown, false, p.at(x.Pos(), "condition depends on the size of a type parameter, which is not known here: write arithmetic that the compiler folds")
	case d.param && d.size:
		return unknown, false, p.at(x.Pos(), "condition depends on the size of a type, which is not known here: write arithmetic that the compiler folds")
	case d.opaque:
		return unknown, false, p.at(x.Pos(), "condition depends on a parameter whose value only the output's compiler knows: write arithmetic that it folds")
	}
	return unknown, true, nil
}

// foldLogic evaluates && and ||. The side that decides must not swallow calls on the other.
func (p *program) foldLogic(x *ast.BinaryExpr) (truth, error) {
	l, err := p.fold(x.X)
	if err != nil {
		return unknown, err
	}
	r, err := p.fold(x.Y)
	if err != nil {
		return unknown, err
	}
	decides, neutral := no, yes
	if x.Op == token.LOR {
		decides, neutral = yes, no
	}
	switch {
	case l == decides:
		return decides, nil
	case r == decides:
		if p.calls(x.X) {
			return unknown, p.at(x.X.Pos(), "a parameter makes this call superfluous: write the parameter on the left of %s", x.Op)
		}
		return decides, nil
	case l == neutral && r == neutral:
		return neutral, nil
	}
	return unknown, nil
}

// calls reports whether evaluating x may have an effect.
func (p *program) calls(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := p.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				found = true
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// sameConst reports whether two constant expressions have the same value; ok says that both are constant.
func (p *program) sameConst(x, y ast.Expr) (same, ok bool) {
	a, b := p.info.Types[x].Value, p.info.Types[y].Value
	if a == nil || b == nil {
		return false, false
	}
	return constant.Compare(a, token.EQL, b), true
}

// evaluate decides the condition of a directive, in the scope of the package-level declarations of its file.
func (p *program) evaluate(u *unit, d *directive, at token.Pos) (truth, error) {
	if err := types.CheckExpr(p.fset, u.types, at, d.cond, &p.info); err != nil {
		msg := err.Error()
		if e, ok := err.(types.Error); ok {
			msg = e.Msg
		}
		return unknown, p.at(d.pos, "%s", msg)
	}
	t, err := p.fold(d.cond)
	if err != nil {
		err.(*Error).Pos = p.position(d.pos)
		return unknown, err
	}
	if t == unknown {
		return unknown, p.at(d.pos, "the parameters do not decide this condition")
	}
	return t, nil
}
