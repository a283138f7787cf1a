package quiet

import (
	"testing"

	"example.com/vet/pools"
)

// The test fails if there is a block.
func TestRefused(t *testing.T) {
	if b, err := pools.AllocText(-1); err == nil {
		t.Errorf("got %d bytes", len(b))
	}
	v, err := pools.AllocVertex()
	if err == nil {
		t.Fatal("got a vertex", v)
	}
	if w, ok := pools.TryAllocVertex(); ok {
		t.Error("got a vertex", w)
	}
}

// All that the test does not expect is one condition.
func TestRefusedBatch(t *testing.T) {
	batch := make([]*pools.Vertex, 3)
	if n, err := pools.AllocVertexBatch(batch); n != 0 || err == nil || batch[0] != nil {
		t.Errorf("got %d blocks, %v", n, err)
	}
}
