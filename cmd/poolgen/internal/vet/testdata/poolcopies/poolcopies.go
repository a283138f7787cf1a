// Package poolcopies copies pools.
package poolcopies

import "example.com/vet/pools"

type scene struct {
	vertices pools.VertexPool
	name     string
}

func passed(p pools.VertexPool) int64 { // want `PG111: pool Vertex is copied: it is passed by value; use a pointer`
	return p.Stats().Live
}

func (s scene) received() string { return s.name } // want `PG111: pool Vertex is copied: it is received by value`

func assigned(p *pools.LocalPool) {
	q := *p // want `PG111: pool Local is copied: it is assigned`
	_ = q.Poll()
}

func inside(s *scene) {
	t := *s               // want `PG111`
	u := []scene{t}       // want `PG111: .* put into a value`
	for _, x := range u { // want `PG111: .* copied by range`
		_ = x.name
	}
}

// From here on, all is well.

var own pools.VertexPool

func pointers(p *pools.VertexPool) (*pools.VertexPool, scene2) {
	s := scene{name: "a"}
	q := &s.vertices
	var zero pools.LocalPool
	_ = zero.Poll()
	_ = own
	all := make([]scene, 3)
	for i := range all {
		_ = all[i].name
	}
	_ = p
	return q, scene2{q}
}

type scene2 struct{ p *pools.VertexPool }
