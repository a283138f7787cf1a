// Package hostile has code of every kind that a walk could stumble over. Nothing in it is wrong, as far as anybody can tell.
package hostile

import (
	"errors"
	"unsafe"

	"github.com/poolgen/poolgen/cuda"
	"example.com/vet/pools"
)

type any2[T any, P interface{ *T }] struct{ p P }

func (a any2[T, P]) get() (P, error) { return a.p, nil }

func generic[T pools.Vertex | float32](alloc func() (*T, error), free func(*T) error) error {
	v, err := alloc()
	if err != nil {
		return err
	}
	return free(v)
}

func instances() error {
	return generic(pools.AllocVertex, pools.FreeVertex)
}

type pooler interface {
	Alloc() (*pools.Vertex, error)
	Free(*pools.Vertex) error
}

func dynamic(p pooler) error {
	v, err := p.Alloc()
	if err != nil {
		return err
	}
	v.X = 1
	return nil // who knows what p is
}

func expressions(p *pools.VertexPool) error {
	v, err := (*pools.VertexPool).Alloc(p)
	if err != nil {
		return err
	}
	f := p.Free
	return f(v)
}

func labels(n int) (err error) {
	var v *pools.Vertex
	if v, err = pools.AllocVertex(); err != nil {
		goto end
	}
outer:
	for i := range n {
		select {
		default:
			if i == 3 {
				break outer
			}
			continue outer
		}
	}
	err = pools.FreeVertex(v)
end:
	return err
}

func unusual() {
	func() {
		defer func() { _ = recover() }()
		panic(nil)
	}()
	var nothing struct{}
	_ = nothing
	for {
	}
}

func addresses() uintptr {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0
	}
	p := &v
	(*p).X = 1
	w := (*[3]float32)(unsafe.Pointer(v))
	_ = w
	_ = pools.FreeVertex(*p)
	return uintptr(unsafe.Pointer(v))
}

func swap(a, b *pools.Vertex) error {
	a, b = b, a
	err := pools.FreeVertex(a)
	b.X = 1
	if err != nil {
		return err
	}
	return pools.FreeVertex(b)
}

func array() error {
	var two [2]*pools.Vertex
	for i := range two {
		var err error
		if two[i], err = pools.AllocVertex(); err != nil {
			return err
		}
	}
	for _, v := range two {
		if err := pools.FreeVertex(v); err != nil {
			return err
		}
	}
	return nil
}

func list(n int) error {
	type node struct {
		v    *pools.Vertex
		next *node
	}
	var head *node
	for range n {
		v, err := pools.AllocVertex()
		if err != nil {
			return err
		}
		head = &node{v, head}
	}
	for ; head != nil; head = head.next {
		if err := pools.FreeVertex(head.v); err != nil {
			return err
		}
	}
	return nil
}

func grow(n int) error {
	b, err := pools.AllocText(n)
	if err != nil {
		return err
	}
	for range n {
		c, err := pools.AllocText(2 * len(b))
		if err != nil {
			_ = pools.FreeText(b)
			return err
		}
		copy(c, b)
		if err := pools.FreeText(b); err != nil {
			return err
		}
		b = c
	}
	return pools.FreeText(b)
}

func previous(n int) error {
	var last *pools.Vertex
	for range n {
		v, err := pools.AllocVertex()
		if err != nil {
			return err
		}
		if last != nil {
			if err := pools.FreeVertex(last); err != nil {
				return err
			}
		}
		last = v
	}
	if last != nil {
		return pools.FreeVertex(last)
	}
	return nil
}

func three() (pools.BatchSpan, []float32, cuda.Stream) { return pools.BatchSpan{}, nil, cuda.Stream{} }

func block() (pools.BatchSpan, cuda.Stream) { return pools.BatchSpan{}, cuda.Stream{} }

func allInOne() error {
	return errors.Join(pools.CopyBatchToDevice(three()), pools.FreeBatchOn(block()), pools.ZeroBatch(block()))
}

// Enough paths to give up on.
func many(a, b, c, d, e, f, g, h, i, j, k, l bool) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	n := 0
	for _, x := range []bool{a, b, c, d} {
		if x && a || b && x || c {
			n++
		}
		if d && x || e && f || g {
			n--
		}
		if h || i && j || k && l || x {
			n *= 2
		}
	}
	if a && b && c && d && e && f && g && h && i && j && k && l {
		n = 4
	}
	_ = n
	return pools.FreeVertex(v)
}
