// Package leak has blocks that are forgotten, and blocks that are not.
package leak

import (
	"errors"
	"fmt"
	"log"
	"sync"

	"example.com/vet/pools"
)

var errEmpty = errors.New("empty")

func errorPath(n int) error {
	v, err := pools.AllocVertex() // want `PG101: the block of pool Vertex is not freed on every path`
	if err != nil {
		return err
	}
	if n == 0 {
		return errEmpty
	}
	return pools.FreeVertex(v)
}

func never() {
	v, err := pools.AllocVertex() // want `PG101: the block of pool Vertex`
	if err == nil {
		v.X = 1
	}
}

// No graph owns a block that was not allocated on a stream.
func besideGraphs() {
	b, err := pools.AllocTemp(10) // want `PG101: the block of pool Temp`
	if err == nil {
		_ = b.Len()
	}
}

func tryIt() {
	b, ok := pools.TryAllocText(10) // want `PG101: the block of pool Text`
	if !ok {
		return
	}
	b[0] = 1
}

func second(n int) error {
	a, err := pools.AllocText(n) // want `PG101: the block of pool Text`
	if err != nil {
		return err
	}
	b, err := pools.AllocText(n)
	if err != nil {
		return err
	}
	return errors.Join(pools.FreeText(a), pools.FreeText(b))
}

func loop(n int) error {
	for i := range n {
		v, err := pools.AllocVertex() // want `PG101: the block of pool Vertex`
		if err != nil {
			return err
		}
		if i%2 == 0 {
			continue
		}
		if err := pools.FreeVertex(v); err != nil {
			return err
		}
	}
	return nil
}

func method(p *pools.VertexPool, n int) error {
	v, err := p.Alloc() // want `PG101: the block of pool Vertex`
	if err != nil {
		return err
	}
	switch n {
	case 0:
		return nil
	case 1:
		return p.Free(v)
	}
	panic("no such number")
}

func discarded() error {
	_, err := pools.AllocVertex() // want `PG101: the block of pool Vertex`
	return err
}

func owner() error {
	r, err := pools.AllocVertexRef() // want `PG101: the owner of a block of pool Vertex`
	if err != nil {
		return err
	}
	r.Get().X = 1
	return nil
}

func ownerBlockPassed(f func(*pools.Vertex) error) error {
	r, err := pools.AllocVertexRef() // want `PG101: the owner of a block of pool Vertex`
	if err != nil {
		return err
	}
	if err := f(r.Get()); err != nil {
		return err
	}
	return r.Release()
}

func ownerVariablePassed(list interface{ add(*pools.Vertex) bool }) error {
	r, err := pools.AllocVertexRef() // want `PG101: the owner of a block of pool Vertex`
	if err != nil {
		return err
	}
	v := r.Get()
	if !list.add(v) {
		return errEmpty
	}
	return r.Release()
}

// fresh hands a block out, so its callers have to free it.
func fresh(x float32) (*pools.Vertex, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, fmt.Errorf("fresh: %w", err)
	}
	v.X = x
	return v, nil
}

func usesFresh() error {
	v, err := fresh(1) // want `PG101: the block of pool Vertex`
	if err != nil {
		return err
	}
	if v.X == 2 {
		return errEmpty
	}
	return put(v)
}

func put(v *pools.Vertex) error { return pools.FreeVertex(v) }

func scale(v *pools.Vertex, f float32) { v.X, v.Y = v.X*f, v.Y*f }

func looked() error {
	v, err := pools.AllocVertex() // want `PG101: the block of pool Vertex`
	if err != nil {
		return err
	}
	scale(v, 2)
	fmt.Println(*v)
	return nil
}

func inLiteral() func() {
	return func() {
		v, err := pools.AllocVertex() // want `PG101: the block of pool Vertex`
		if err != nil {
			return
		}
		v.X = 1
	}
}

func deferredOutsideLoop(n int) error {
	var v *pools.Vertex
	for range n {
		var err error
		if v, err = pools.AllocVertex(); err != nil { // want `PG101: the block of pool Vertex`
			return err
		}
	}
	defer pools.FreeVertex(v)
	return nil
}

// From here on, all is well.

func deferred() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	defer pools.FreeVertex(v)
	v.X = 1
	if v.Y == 2 {
		return errEmpty
	}
	return nil
}

func deferredLiteral() (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pools.FreeVertex(v)) }()
	if v.X == 0 {
		return errEmpty
	}
	return nil
}

// What a loop defers is freed when the function ends, each block of it.
func deferredInLoop(n int) error {
	for range n {
		v, err := pools.AllocVertex()
		if err != nil {
			return err
		}
		defer pools.FreeVertex(v)
		v.X = 1
	}
	return nil
}

func deferredLiteralInLoop(n int) (err error) {
	for range n {
		b, e := pools.AllocText(n)
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, pools.FreeText(b)) }()
		b[0] = 1
	}
	return nil
}

func deferredInSomeTurns(n int) (err error) {
	for i := range n {
		v, e := pools.AllocVertex()
		if e != nil {
			return e
		}
		b, e := pools.AllocText(n)
		if e != nil {
			return errors.Join(e, pools.FreeVertex(v))
		}
		if i%2 == 0 {
			if e := errors.Join(pools.FreeVertex(v), pools.FreeText(b)); e != nil {
				return e
			}
			continue
		}
		defer pools.FreeVertex(v)
		defer func() { err = errors.Join(err, pools.FreeText(b)) }()
	}
	return nil
}

func deferredOwnerInLoop(n int) error {
	for range n {
		r, err := pools.AllocVertexRef()
		if err != nil {
			return err
		}
		defer r.Release()
	}
	return nil
}

func onlyOnFailure() (_ *pools.Vertex, err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = pools.FreeVertex(v)
		}
	}()
	if v.X == 0 {
		return nil, errEmpty
	}
	return v, nil
}

type node struct{ v *pools.Vertex }

var kept []*pools.Vertex

func handedOn(n int, ch chan *pools.Vertex, to *node) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	switch n {
	case 0:
		to.v = v
	case 1:
		ch <- v
	case 2:
		kept = append(kept, v)
	case 3:
		go func() { _ = pools.FreeVertex(v) }()
	case 4:
		*to = node{v}
	default:
		keep(v)
	}
	return nil
}

func keep(v *pools.Vertex) { kept = append(kept, v) }

func correlated(want bool) error {
	var v *pools.Vertex
	if want {
		var err error
		if v, err = pools.AllocVertex(); err != nil {
			return err
		}
	}
	fmt.Println(want)
	if want {
		return pools.FreeVertex(v)
	}
	return nil
}

func byNil(n int) error {
	var v *pools.Vertex
	if n > 3 {
		v, _ = pools.AllocVertex()
	}
	if v != nil {
		return pools.FreeVertex(v)
	}
	return nil
}

func ends(n int) {
	v, err := pools.AllocVertex()
	switch {
	case errors.Is(err, errEmpty):
		return
	case err != nil:
		fatal(err)
	}
	if n == 0 {
		log.Fatal("zero")
	}
	if err := pools.FreeVertex(v); err != nil {
		panic(err)
	}
}

func fatal(err error) {
	log.Println(err)
	log.Fatal(err)
}

func otherNames() error {
	a, errA := pools.AllocVertex()
	b, errB := pools.AllocVertex()
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	return errors.Join(pools.FreeVertex(a), pools.FreeVertex(b))
}

type holder struct{ err error }

func (h *holder) fields() {
	var v *pools.Vertex
	if v, h.err = pools.AllocVertex(); h.err != nil {
		return
	}
	h.err = pools.FreeVertex(v)
}

func values() error {
	alloc, free := pools.AllocVertex, pools.FreeVertex
	v, err := alloc()
	if err != nil {
		return err
	}
	w, err := pools.AllocVertex()
	if err != nil {
		return errors.Join(err, free(v))
	}
	return errors.Join(free(v), free(w))
}

func generic[T any](x T, err error) (T, error) { return x, err }

func through() (*pools.Vertex, error) {
	v, err := generic(pools.AllocVertex())
	return v, err
}

func group(n int) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for range n {
		b, err := pools.AllocText(16)
		if err != nil {
			return err
		}
		wg.Go(func() { defer pools.FreeText(b); b[0] = 1 })
	}
	return nil
}

func scoped() error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		v.X = 1
		return nil
	})
}

func ownerBlockPassedAndReleased(f func(*pools.Vertex) error) (err error) {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	if err := f(r.Get()); err != nil {
		return errors.Join(err, r.Release())
	}
	return r.Release()
}

func ownerPassed(f func(*pools.VertexRef) error) error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	if err := f(&r); err != nil {
		return err
	}
	return r.Release()
}

func ownerKept(list interface{ add(*pools.Vertex) bool }, refs *[]pools.VertexRef) error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	if list.add(r.Get()) {
		*refs = append(*refs, r)
		return nil
	}
	return r.Release()
}

func ownerBlockFreedElsewhere(f func(*pools.Vertex) error) error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	return f(r.Get()) // the function may have the block from here on
}

func owned() error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	defer r.Release()
	kept = append(kept, r.Detach())
	return nil
}

type alias = pools.Vertex

func aliased(n int) error {
	var v *alias
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	w := v
	v = nil
	if n > 1 {
		return put(w)
	}
	return pools.FreeVertex(w)
}

func numbers(n int) (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return
	}
	defer func(v *pools.Vertex) { err = pools.FreeVertex(v) }(v)
	return
}

func force() error {
	p, err := pools.NewVertexPool()
	if err != nil {
		return err
	}
	v, err := p.Alloc()
	if err != nil {
		return err
	}
	v.X = 1
	return p.CloseForce()
}

func temporaries(n int) error {
	b, err := pools.AllocScratch(n)
	if err != nil {
		return err
	}
	b[0] = 1
	return nil
}

func ignored() error {
	v, err := pools.AllocVertex() //poolgen:ignore PG101 the process ends with it
	if err != nil {
		return err
	}
	v.X = 1
	return nil
}

func ownerThroughCall(must func(pools.VertexRef, error) pools.VertexRef) error {
	r := must(pools.AllocVertexRef())
	return r.Release()
}

func ownerAsAny(keep func(any)) error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	keep(any(&r))
	if r.Get() == nil {
		return errEmpty
	}
	return r.Release()
}

func ownerReleasedLater(later func(func() error)) error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	later(r.Release)
	var other pools.VertexRef
	return other.Release()
}
