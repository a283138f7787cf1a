package usefree

import (
	"errors"
	"fmt"
	"sync"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

func mapEntry(table map[int]*pools.Vertex, id int) (float32, error) {
	v := table[id]
	if err := pools.FreeVertex(v); err != nil {
		return 0, err
	}
	return v.X, nil // want `PG102: the block is used after it was freed`
}

func sameElement(list []*pools.Vertex, i int) (float32, error) {
	err := pools.FreeVertex(list[i])
	return list[i].X, err // want `PG102`
}

func received(in <-chan *pools.Vertex) error {
	v := <-in
	return errors.Join(pools.FreeVertex(v), pools.FreeVertex(v)) // want `PG103`
}

func sent(out chan<- *pools.Vertex, v *pools.Vertex) error {
	err := pools.FreeVertex(v)
	out <- v // want `PG102`
	return err
}

func releasedTwice() error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	copied := r
	return errors.Join(r.Release(), copied.Release()) // want `PG103: the owner of a block of pool Vertex is freed twice`
}

func getAfterRelease() (float32, error) {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return 0, err
	}
	err = r.Release()
	return r.Get().X, err // want `PG102`
}

func elementOfBatch(n int) error {
	batch := make([]*pools.Vertex, n)
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return err
	}
	first := batch[0]
	err := pools.FreeVertexBatch(batch)
	fmt.Println(first.X)                             // want `PG102`
	return errors.Join(err, pools.FreeVertex(first)) // want `PG103`
}

func keptFromWith() (float32, error) {
	var kept *pools.Vertex
	err := pools.WithVertex(func(v *pools.Vertex) error {
		kept = v
		return nil
	})
	if err != nil {
		return 0, err
	}
	return kept.X, nil // want `PG102`
}

func goroutineInWith(out chan<- float32) error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		go func() { out <- v.X }() // want `PG102: .* is used by a goroutine that With does not wait for`
		return nil
	})
}

func goroutineStillRuns() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	wait.Go(func() { fmt.Println(v.X) })
	err = pools.FreeVertex(v) // want `PG102: .* is freed while a goroutine may still be using it`
	wait.Wait()
	return err
}

func raise(v *pools.Vertex) { v.X++ }

func namedGoroutineStillRuns() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	go raise(v)
	return pools.FreeVertex(v) // want `PG102: .* is freed while a goroutine may still be using it`
}

func goroutineFreesToo() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	go func() { _ = pools.FreeVertex(v) }()
	return pools.FreeVertex(v) // want `PG103`
}

func closureFreesToo(n int) (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	free := func() { err = errors.Join(err, pools.FreeVertex(v)) }
	defer free() // want `PG103`
	if n == 0 {
		free()
	}
	return err
}

type holder struct{ v *pools.Vertex }

func (h *holder) close() error { return pools.FreeVertex(h.v) }

func fieldFreedToo() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	h := &holder{v: v}
	err = h.close()
	return errors.Join(err, pools.FreeVertex(v)) // want `PG103`
}

func keptFromStream(s cuda.Stream) error {
	var kept pools.BatchSpan
	err := pools.WithBatchOn(10, s, func(b pools.BatchSpan) error {
		kept = b
		return b.Zero(s)
	})
	if err != nil {
		return err
	}
	return kept.Zero(s) // want `PG102: the block of pool Batch is used after it was freed`
}

func freedInStream(s cuda.Stream) error {
	return pools.WithBatchOn(10, s, func(b pools.BatchSpan) error {
		return pools.FreeBatchOn(b, s) // want `PG103: the block of pool Batch is freed by With when this function returns`
	})
}

func launchedAfterFree(k cuda.Kernel, s cuda.Stream) error {
	b, err := pools.AllocBatch(10)
	if err != nil {
		return err
	}
	if err := pools.FreeBatch(b); err != nil {
		return err
	}
	return k.Launch(cuda.Config{Stream: s}, b.Addr()) // want `PG102: the block of pool Batch is used after it was freed`
}
