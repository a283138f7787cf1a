// Package badfree frees parts of blocks, and drops errors.
package badfree

import "example.com/vet/pools"

func shorter(src []byte) error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	n := copy(b, src)
	return pools.FreeText(b[:n]) // want `PG105: part of the block of pool Text is freed: the pool refuses that`
}

func later(src []byte) error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	b = b[:copy(b, src)]
	return pools.FreeText(b) // want `PG105`
}

func behind(b []byte) error {
	return pools.FreeText(b[4:]) // want `PG105: something inside the block is freed`
}

func inside() error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	return pools.FreeText(b[8:16]) // want `PG105: something inside the block of pool Text`
}

func span() error {
	b, err := pools.AllocBatch(64)
	if err != nil {
		return err
	}
	return pools.FreeBatch(b.Slice(0, 8)) // want `PG105`
}

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
func full(b []byte) error            { return pools.FreeText(b[:]) }
func ring(b []byte) error            { return pools.FreeRound(b[:cap(b)]) }
func returned(b []byte) error        { return pools.FreeText(b) }
func spawned(v *pools.Vertex)        { go pools.FreeVertex(v) }
func FreeVertex(v *pools.Vertex) int { return 0 }
func sameName(v *pools.Vertex)       { FreeVertex(v) }

func restored(src []byte) error {
	b, err := pools.AllocText(64)
	if err != nil {
		return err
	}
	b = b[:copy(b, src)]
	return pools.FreeText(b[:cap(b)])
}

func sameSize(n int) error {
	b, err := pools.AllocText(n)
	if err != nil {
		return err
	}
	return pools.FreeText(b[:n])
}
