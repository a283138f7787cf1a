// Package usefree has blocks that are used or freed after they were freed, and blocks that are not.
package usefree

import (
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
	"example.com/vet/pools"
)

func field(v *pools.Vertex) error {
	err := pools.FreeVertex(v)
	v.X = 1 // want `PG102: the block is used after it was freed`
	return err
}

func element() (byte, error) {
	b, err := pools.AllocText(3)
	if err != nil {
		return 0, err
	}
	err = pools.FreeText(b)
	return b[0], err // want `PG102: the block of pool Text is used after it was freed`
}

func passed(v *pools.Vertex) error {
	if err := pools.FreeVertex(v); err != nil {
		return err
	}
	look(v) // want `PG102`
	return nil
}

func look(v *pools.Vertex) { fmt.Println(v.X) }

func onOnePath(v *pools.Vertex, n int) (float32, error) {
	var err error
	if n > 3 {
		err = pools.FreeVertex(v)
	}
	return v.X, err // want `PG102`
}

func twice(v *pools.Vertex) error {
	return errors.Join(pools.FreeVertex(v), pools.FreeVertex(v)) // want `PG103: the block is freed twice`
}

func twiceThroughDefer(v *pools.Vertex, n int) error {
	defer pools.FreeVertex(v) // want `PG103: the block is freed twice`
	if n == 0 {
		return pools.FreeVertex(v)
	}
	return nil
}

func twiceThroughLiteral(v *pools.Vertex) (err error) {
	defer func() { err = errors.Join(err, pools.FreeVertex(v)) }() // want `PG103`
	return pools.FreeVertex(v)
}

func put(v *pools.Vertex) error { return pools.FreeVertex(v) }

func throughFunction(v *pools.Vertex) error {
	if err := put(v); err != nil {
		return err
	}
	return pools.FreeVertex(v) // want `PG103`
}

func returned() (*pools.Vertex, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	defer pools.FreeVertex(v)
	return v, nil // want `PG102`
}

func otherName(v *pools.Vertex) error {
	w := v
	err := pools.FreeVertex(v)
	w.X = 1 // want `PG102`
	return err
}

func loop(v *pools.Vertex, n int) (err error) {
	for range n {
		err = errors.Join(err, pools.FreeVertex(v)) // want `PG103`
	}
	return err
}

func scoped() error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		return pools.FreeVertex(v) // want `PG103: the block of pool Vertex is freed by With when this function returns`
	})
}

func device(b pools.BatchSpan) (int, error) {
	err := pools.FreeBatch(b)
	return b.Slice(0, 1).Len(), err // want `PG102`
}

// From here on, all is well.

func compared(v, w *pools.Vertex) (bool, error) {
	err := pools.FreeVertex(v)
	return v == w, err
}

func again(v *pools.Vertex) (err error) {
	if err = pools.FreeVertex(v); err != nil {
		return err
	}
	if v, err = pools.AllocVertex(); err != nil {
		return err
	}
	v.X = 1
	return pools.FreeVertex(v)
}

func failed(v *pools.Vertex) error {
	if err := pools.FreeVertex(v); err != nil {
		return fmt.Errorf("%v: %w", v.X, err)
	}
	return nil
}

func expected(v *pools.Vertex) bool {
	_ = pools.FreeVertex(v)
	return errors.Is(pools.FreeVertex(v), poolrt.ErrDoubleFree)
}

func either(v *pools.Vertex, n int) error {
	if n == 0 {
		return pools.FreeVertex(v)
	}
	v.X = 1
	return pools.FreeVertex(v)
}

func cleared(v *pools.Vertex, n int) error {
	if n == 0 {
		_ = pools.FreeVertex(v)
		v = nil
	}
	if v != nil {
		v.X = 1
		return pools.FreeVertex(v)
	}
	return nil
}

func drain(n int) error {
	for range n {
		v, err := pools.AllocVertex()
		if err != nil {
			return err
		}
		v.X = 1
		if err := pools.FreeVertex(v); err != nil {
			return err
		}
	}
	return nil
}

func length() (int, error) {
	b, err := pools.AllocText(8)
	if err != nil {
		return 0, err
	}
	err = pools.FreeText(b)
	return len(b), err
}
