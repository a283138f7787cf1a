// Package quiet has correct code of which the rules could easily report something.
package quiet

import (
	"errors"
	"log"
	"sync"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// A graph owns what is live at the end of its capture.
func captured(s cuda.Stream) (cuda.Graph, error) {
	if err := s.BeginCaptureWith([]poolrt.Capturer{pools.DefaultTempPool()}); err != nil {
		return cuda.Graph{}, err
	}
	b, failed := pools.AllocTempOn(1000, s)
	if failed == nil {
		failed = cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s)
	}
	g, err := s.EndCapture()
	return g, errors.Join(failed, err)
}

// The free that belongs to a block is chosen by something that the walk does not see.

type mixed struct {
	v     *pools.Vertex
	sharp bool
}

func chosenByField(m *mixed, n int) (err error) {
	var v *pools.Vertex
	if n > 0 {
		v, err = pools.AllocCorner()
		m.sharp = true
	} else {
		v, err = pools.AllocVertex()
	}
	if err != nil {
		return err
	}
	v.X = 1
	if isSharp(m) {
		return pools.FreeCorner(v)
	}
	return pools.FreeVertex(v)
}

func isSharp(m *mixed) bool { return m.sharp }

func chosenByNumber(n int) error {
	kind := 0
	v, ok := pools.TryAllocVertex()
	if !ok {
		var err error
		if v, err = pools.AllocCorner(); err != nil {
			return err
		}
		kind = 1
	}
	v.X = float32(n)
	switch kind {
	case 0:
		return pools.FreeVertex(v)
	default:
		return pools.FreeCorner(v)
	}
}

// Flags that closures change.

func flagOfClosure(each func(func(float32) bool)) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	freed := false
	each(func(x float32) bool {
		if x < 0 {
			freed = true
			err = pools.FreeVertex(v)
		}
		return freed
	})
	if !freed {
		return pools.FreeVertex(v)
	}
	return err
}

func freeOnce(n int) (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	free := func() {
		if v != nil {
			err = errors.Join(err, pools.FreeVertex(v))
			v = nil
		}
	}
	defer free()
	if n == 0 {
		free()
	}
	return err
}

// Goroutines.

func waitIsDeferredLast(n int) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	defer pools.FreeVertex(v)
	var wait sync.WaitGroup
	defer wait.Wait()
	wait.Go(func() { log.Print(v.X) })
	return nil
}

func goroutineForEver(tick <-chan int) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	go func() {
		for x := range tick {
			v.X += float32(x)
		}
	}()
	go func() {
		for {
			log.Print(v.X + float32(<-tick))
		}
	}()
	return nil
}

func streamIsWaitedForLast(s cuda.Stream) error {
	b, err := pools.AllocBatch(8)
	if err != nil {
		return err
	}
	defer pools.FreeBatch(b)
	defer s.Synchronize()
	return b.Zero(s)
}

// Batches.

func batchInHalves(n int) error {
	batch := make([]*pools.Vertex, 2*n)
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return err
	}
	for i := 0; i < 2*n; i++ {
		if err := pools.FreeVertex(batch[i]); err != nil {
			return err
		}
	}
	return nil
}

func batchIsHandedOn(out chan<- *pools.Vertex, n int) error {
	var batch [8]*pools.Vertex
	if _, err := pools.AllocVertexBatch(batch[:n]); err != nil {
		return err
	}
	for _, v := range batch[:n] {
		out <- v
	}
	return nil
}

func batchWithDefer(n int) error {
	batch := make([]*pools.Vertex, n)
	if _, err := pools.AllocVertexBatch(batch); err != nil {
		return err
	}
	defer pools.FreeVertexBatch(batch)
	for i := range batch {
		batch[i].X = float32(i)
	}
	return nil
}

// Blocks in fields, and in other fields of the same name.

type node struct {
	v    *pools.Vertex
	next *node
}

func freedAndReplaced(n *node) (float32, error) {
	if err := pools.FreeVertex(n.v); err != nil {
		return 0, err
	}
	n = n.next
	if n == nil {
		return 0, nil
	}
	return n.v.X, nil
}

func freedAndFilled(n *node) (float32, error) {
	if err := pools.FreeVertex(n.v); err != nil {
		return 0, err
	}
	if err := n.fill(); err != nil {
		return 0, err
	}
	return n.v.X, nil
}

func (n *node) fill() (err error) {
	n.v, err = pools.AllocVertex()
	return err
}

func freedByIndex(list []*pools.Vertex) (err error) {
	for i := 0; i < len(list); {
		err = errors.Join(err, pools.FreeVertex(list[i]))
		step(&i)
	}
	return err
}

func step(i *int) { *i++ }

func chain(table map[float32]*pools.Vertex, v *pools.Vertex) (err error) {
	for v != nil {
		next := table[v.X]
		err = errors.Join(err, pools.FreeVertex(v))
		v = next
	}
	return err
}

func lastIsFreedInTurn(list []float32) error {
	var last *pools.Vertex
	for i, x := range list {
		v, err := pools.AllocVertex()
		if err != nil {
			return err
		}
		v.X = x
		if i > 0 {
			if err := pools.FreeVertex(last); err != nil {
				return err
			}
		}
		last = v
	}
	if last == nil {
		return nil
	}
	return pools.FreeVertex(last)
}

// Refs and With.

func releasedForItsError(x float32) error {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return err
	}
	defer r.Release()
	r.Get().X = x
	return r.Release()
}

func detachedOrReleased(x float32) (*pools.Vertex, error) {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if x < 0 {
		return nil, errors.New("negative")
	}
	return r.Detach(), nil
}

func borrowedAndForgotten(x float32) (last float32, err error) {
	var kept *pools.Vertex
	err = pools.WithVertex(func(v *pools.Vertex) error {
		kept = v
		kept.X = x
		last = kept.X
		return nil
	})
	kept = nil
	return last, err
}

func borrowedSometimes(x float32, own *pools.Vertex) (float32, error) {
	best := own
	err := pools.WithVertex(func(v *pools.Vertex) error {
		if x > 0 {
			best = v
			return errors.New("positive")
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return best.X, nil
}

// Addresses.

func registered(byAddress map[cuda.DevicePtr]int, n int) error {
	b, err := pools.AllocBatch(n)
	if err != nil {
		return err
	}
	byAddress[b.Addr()+4] = n
	return nil
}

func passedOn(n int, use func(cuda.DevicePtr)) error {
	b, err := pools.AllocBatch(n)
	if err != nil {
		return err
	}
	use(b.Addr())
	return nil
}
