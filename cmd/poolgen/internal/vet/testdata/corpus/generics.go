package corpus

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/vet/pools"
)

// Generic functions and types that hold blocks.

// allocator is what pools of one block size have in common.
type allocator[T any] interface {
	Alloc() (T, error)
	Free(T) error
}

type stack[T any] struct{ items []T }

type pair[A, B any] struct {
	first  A
	second B
}

func genericScope[T any](p allocator[T], use func(T) error) (err error) {
	block, err := p.Alloc()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Free(block)) }()
	return use(block)
}

func genericScopeLeaksOnError[T any](p allocator[T], use func(T) error) error {
	block, err := p.Alloc()
	if err != nil {
		return err
	}
	if err := use(block); err != nil {
		return fmt.Errorf("%T: %w", block, err) // WRONG leak: the block is not freed when use fails
	}
	return p.Free(block)
}

func genericFillsUntilFull[T any](p allocator[T], n int, set func(T, int)) (*stack[T], error) {
	s := &stack[T]{}
	for i := range n {
		block, err := p.Alloc()
		if err != nil {
			for _, b := range s.items {
				err = errors.Join(err, p.Free(b))
			}
			return nil, err
		}
		set(block, i)
		s.items = append(s.items, block)
	}
	return s, nil
}

func mustAndForget(x float32) float32 {
	v := must(pools.AllocVertex())
	*v = pools.Vertex{X: x, Y: x}
	if x < 0 {
		move(v, -2*x)
	}
	return length(v) // WRONG leak: must returned a block, which is not freed
}

func mustAndFree(x float32) float32 {
	v := must(pools.AllocVertex())
	defer func() { must(0, pools.FreeVertex(v)) }()
	*v = pools.Vertex{X: x, Y: x}
	if x < 0 {
		move(v, -2*x)
	}
	return length(v)
}

func (s *stack[T]) genericPopFreesTwice(p allocator[T], bad func(T) bool) error {
	if len(s.items) == 0 {
		return errEmpty
	}
	last := len(s.items) - 1
	block := s.items[last]
	s.items = s.items[:last]
	var err error
	if bad(block) {
		err = errors.Join(errRange, p.Free(block))
	}
	return errors.Join(err, p.Free(block)) // WRONG double: a bad block was freed above
}

func pairFreesBothHalves(x, y float32) error {
	first, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	second, err := pools.AllocCorner()
	if err != nil {
		return errors.Join(err, pools.FreeVertex(first))
	}
	p := pair[*pools.Vertex, *pools.Vertex]{first, second}
	p.first.X, p.second.X = x, y
	if larger(p.first.X, p.second.X) == x {
		move(p.first, -y)
	}
	return errors.Join(pools.FreeVertex(p.first), pools.FreeCorner(p.second))
}

func pairFreesFirstInSecondsPool(x, y float32) error {
	first, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	second, err := pools.AllocCorner()
	if err != nil {
		return errors.Join(err, pools.FreeVertex(first))
	}
	first.X, second.X = x, y
	first, second = second, first
	if first.X < second.X {
		move(first, x)
	}
	return errors.Join(pools.FreeVertex(first), pools.FreeCorner(second)) // WRONG pool: the two have changed places
}

func reduce[T any](blocks []*pools.Vertex, start T, step func(T, *pools.Vertex) T) (T, error) {
	result := start
	var err error
	for _, v := range blocks {
		result = step(result, v)
		err = errors.Join(err, pools.FreeVertex(v))
	}
	return result, err
}

func reduceAndReadAfterFree[T cmp.Ordered](blocks []*pools.Vertex, key func(*pools.Vertex) T) (best T, err error) {
	for _, v := range blocks {
		err = errors.Join(err, pools.FreeVertex(v))
		if k := key(v); k > best { // WRONG use: key looks at a freed block
			best = k
		}
	}
	return best, err
}
