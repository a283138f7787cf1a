// Package wrongpool gives blocks to other pools.
package wrongpool

import "example.com/vet/pools"

func function() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	return pools.FreeCorner(v) // want `PG104: the block is of pool Vertex, and is given to pool Corner`
}

func method(from *pools.TextPool, to *pools.LinePool) error {
	b, err := from.Alloc(10)
	if err != nil {
		return err
	}
	defer to.Free(b) // want `PG104: the block is of pool Text, and is given to pool Line`
	b[0] = 1
	return nil
}

func put(v *pools.Vertex) error { return pools.FreeCorner(v) }

func through() error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	return put(v) // want `PG104`
}

func well(p *pools.VertexPool) error {
	v, err := p.Alloc()
	if err != nil {
		return err
	}
	return pools.FreeVertex(v) // p may be the package's pool
}
