// Package summaries has functions of which it is known what they do with blocks.
package summaries

import (
	"errors"
	"log"

	"example.com/vet/pools"
)

func frees(v *pools.Vertex) error { return pools.FreeVertex(v) } // want frees:`^frees\(0\)$`

func freesToo(v *pools.Vertex, n int) error { // want freesToo:`^frees\(0\)$`
	if n == 0 {
		return frees(v)
	}
	if err := pools.FreeVertex(v); err != nil {
		return errors.Join(err, errors.New("refused"))
	}
	return nil
}

func freesOrNil(v *pools.Vertex) error { // want freesOrNil:`^frees\(0\)$`
	if v == nil {
		return nil
	}
	return pools.FreeVertex(v)
}

func maybe(v *pools.Vertex, n int) error {
	if n == 0 {
		return nil
	}
	return pools.FreeVertex(v)
}

func looks(v *pools.Vertex, b []byte) float32 { return v.X + float32(b[0]) } // want looks:`^looks\(0\) looks\(1\)$`

func looksLater(v *pools.Vertex) float32 { return looksDeep(v, 3) } // want looksLater:`^looks\(0\)$`

func looksDeep(v *pools.Vertex, n int) float32 { return looks(v, nil) } // want looksDeep:`^looks\(0\)$`

func keeps(v *pools.Vertex) { kept = v }

var kept *pools.Vertex

func hands(v *pools.Vertex) *pools.Vertex { return v }

func recursive(v *pools.Vertex, n int) {
	if n > 0 {
		recursive(v, n-1)
	}
}

func fresh() (*pools.Vertex, error) { return pools.AllocVertex() } // want fresh:`^fresh\(0: pools.Vertex\)$`

func freshOrNil(n int) *pools.Vertex { // want freshOrNil:`^fresh\(0: pools.Vertex\)$`
	if n == 0 {
		return nil
	}
	v, err := fresh()
	if err != nil {
		return nil
	}
	return v
}

func cached() (*pools.Vertex, error) {
	if kept != nil {
		return kept, nil
	}
	return pools.AllocVertex()
}

func twoPools(n int) (*pools.Vertex, error) {
	if n == 0 {
		return pools.AllocCorner()
	}
	return pools.AllocVertex()
}

func die(err error) { log.Fatal(err) } // want die:"^noreturn$"

type mesh struct{ first *pools.Vertex }

func (m *mesh) take(v *pools.Vertex) { m.first = v }

func (m mesh) sum(b pools.BatchSpan) int { return b.Len() } // want sum:`^looks\(1\)$`

func anything[T any](v *T) {}
