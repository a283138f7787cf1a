// Package freedropped drops the errors of frees.
package freedropped

import "example.com/vet/pools"

func statement(v *pools.Vertex) {
	pools.FreeVertex(v) // want `PG106: the error of this free is dropped`
}

func inLiteral(v *pools.Vertex) func() {
	return func() {
		pools.FreeVertex(v) // want `PG106`
	}
}

func batch(p *pools.VertexPool, all []*pools.Vertex, n int) {
	switch n {
	case 1:
		p.FreeBatch(all) // want `PG106`
	}
}

// From here on, all is well.

func meant(v *pools.Vertex)          { _ = pools.FreeVertex(v) }
func deferred(v *pools.Vertex)       { defer pools.FreeVertex(v) }
func spawned(v *pools.Vertex)        { go pools.FreeVertex(v) }
func FreeVertex(v *pools.Vertex) int { return 0 }
func sameName(v *pools.Vertex)       { FreeVertex(v) }
