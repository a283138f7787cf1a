package blocks

import (
	"go/types"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
)

// blockLike reports whether a value of the type can be a block of a pool.
func (wk *walker) blockLike(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return pools.Plain(u.Elem())
	case *types.Slice:
		return pools.Plain(u.Elem())
	}
	return wk.index.Block(t)
}

// follows reports whether a parameter of the type is followed: a block, the address of one as a number, or anything in a generic function.
func (wk *walker) follows(t types.Type) bool {
	return wk.blockLike(t) || isTypeParam(t) || isNumber(t)
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// isNumber reports whether a number of the type can be an address.
func isNumber(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pools.CUDA {
		return n.Obj().Name() == "DevicePtr"
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uintptr
}

// holdsBlock reports whether the type is a pointer to a struct with a field that can hold a block.
func (wk *walker) holdsBlock(t types.Type) bool {
	p, ok := types.Unalias(t).Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for v := range s.Fields() {
		if wk.blockLike(v.Type()) {
			return true
		}
	}
	return false
}
