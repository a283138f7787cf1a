// Package calls has calls of functions that belong to pools, and of functions that do not.
package calls

import "example.com/vet/pools"

// AllocVertex has the name of a pool's function, in a package without pools.
func AllocVertex() (*pools.Vertex, error) { return pools.AllocVertex() } // want `Vertex`

func calls(p *pools.TextPool) error {
	v, err := AllocVertex()
	if err != nil {
		return err
	}
	b, err := p.Alloc(1) // want `Text`
	if err != nil {
		return pools.FreeVertex(v) // want `Vertex`
	}
	free := p.Free
	_ = free(b)
	_ = (*pools.VertexPool).Free(pools.DefaultVertexPool(), v) // want `Vertex`
	return p.Close()                                           // want `Text`
}
