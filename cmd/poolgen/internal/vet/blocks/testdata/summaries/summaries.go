// Package summaries has functions of which it is known what they do with blocks.
package summaries

import (
	"errors"
	"log"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

func frees(v *pools.Vertex) error { return pools.FreeVertex(v) } // want frees:`^frees\(0\) still$`

func freesToo(v *pools.Vertex, n int) error { // want freesToo:`^frees\(0\) still$`
	if n == 0 {
		return frees(v)
	}
	if err := pools.FreeVertex(v); err != nil {
		return errors.Join(err, errors.New("refused"))
	}
	return nil
}

func freesOrNil(v *pools.Vertex) error { // want freesOrNil:`^frees\(0\) still$`
	if v == nil {
		return nil
	}
	return pools.FreeVertex(v)
}

func maybe(v *pools.Vertex, n int) error { // want maybe:`^still$`
	if n == 0 {
		return nil
	}
	return pools.FreeVertex(v)
}

func looks(v *pools.Vertex, b []byte) float32 { return v.X + float32(b[0]) } // want looks:`^looks\(0\) looks\(1\) still$`

func looksLater(v *pools.Vertex) float32 { return looksDeep(v, 3) } // want looksLater:`^looks\(0\) still$`

func looksDeep(v *pools.Vertex, n int) float32 { return looks(v, nil) } // want looksDeep:`^looks\(0\) still$`

func keeps(v *pools.Vertex) { kept = v }

var kept *pools.Vertex

func hands(v *pools.Vertex) *pools.Vertex { return v } // want hands:`^looks\(0\) alias\(0: 0\) still$`

func recursive(v *pools.Vertex, n int) {
	if n > 0 {
		recursive(v, n-1)
	}
}

func fresh() (*pools.Vertex, error) { return pools.AllocVertex() } // want fresh:`^fresh\(0: pools.Vertex\) still$`

func freshOrNil(n int) *pools.Vertex { // want freshOrNil:`^fresh\(0: pools.Vertex\) still$`
	if n == 0 {
		return nil
	}
	v, err := fresh()
	if err != nil {
		return nil
	}
	return v
}

func cached() (*pools.Vertex, error) { // want cached:`^still$`
	if kept != nil {
		return kept, nil
	}
	return pools.AllocVertex()
}

func twoPools(n int) (*pools.Vertex, error) { // want twoPools:`^still$`
	if n == 0 {
		return pools.AllocCorner()
	}
	return pools.AllocVertex()
}

func die(err error) { log.Fatal(err) } // want die:"^noreturn$"

type mesh struct{ first *pools.Vertex }

func (m *mesh) take(v *pools.Vertex) { m.first = v }

func (m mesh) sum(b pools.BatchSpan) int { return b.Len() } // want sum:`^looks\(1\) still$`

func anything[T any](v *T) {}

// must is generic: its result is the block that is its argument.
func must[T any](value T, err error) T { // want must:`^looks\(0\) alias\(0: 0\) still$`
	if err != nil {
		panic(err)
	}
	return value
}

func either(a, b *pools.Vertex, n int) *pools.Vertex { // want either:`^still$`
	if n == 0 {
		return a
	}
	return b
}

func tail(b []byte) []byte { return b[1:] } // want tail:`^looks\(0\) alias\(0: 0\) still$`

func launch(k cuda.Kernel, at cuda.DevicePtr, s cuda.Stream) error { // want launch:`^looks\(1\) busy\(1: 2\)$`
	return k.Launch(cuda.Config{Stream: s}, at)
}

type owner struct{ v *pools.Vertex }

func (o *owner) close() error { return pools.FreeVertex(o.v) } // want close:`^frees\(0.v\) still$`

func (o *owner) replace(v *pools.Vertex) error { // want replace:`^frees\(1\)$`
	o.v = v
	return pools.FreeVertex(o.v)
}

func (o *owner) reset() error {
	change(o)
	return pools.FreeVertex(o.v)
}

func change(o *owner) { o.v = kept }
