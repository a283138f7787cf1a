package leak

import "example.com/vet/pools"

func batch(n int) error {
	list := make([]*pools.Vertex, n)
	if _, err := pools.AllocVertexBatch(list); err != nil { // want `PG101: the batch of pool Vertex is not freed on every path`
		return err
	}
	for i, v := range list {
		v.X = float32(i)
	}
	return nil
}

func selected(out chan<- *pools.Vertex, stop <-chan bool) error {
	v, err := pools.AllocVertex() // want `PG101`
	if err != nil {
		return err
	}
	select {
	case out <- v:
	case <-stop:
	}
	return nil
}

func appended(text string) error {
	b, err := pools.AllocText(8) // want `PG101`
	if err != nil {
		return err
	}
	b = append(b, text...)
	return pools.FreeText(b)
}

func best(n int) *pools.Vertex {
	var best *pools.Vertex
	for range n {
		v, err := pools.AllocVertex() // want `PG101`
		if err != nil {
			break
		}
		if best == nil || v.X > best.X {
			best = v
		}
	}
	return best
}

func throughMust() float32 {
	v := must(pools.AllocVertex()) // want `PG101`
	return v.X
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
