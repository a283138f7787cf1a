package freedropped

import "example.com/vet/pools"

func last(v *pools.Vertex) error {
	v.X = 1
	pools.FreeVertex( /* want `PG106` */ v)
	return nil
}

func inBranch(v *pools.Vertex, n int) error {
	if n > 0 {
		(pools.FreeVertex( /* want `PG106` */ v))
		return nil
	}
	return pools.FreeVertex(v)
}

// A comment behind the call would be lost, so it stays as it is.
func commentedOn(v *pools.Vertex) error {
	pools.FreeVertex(v) // want `PG106`
	// There is nothing more to do.
	return nil
}
