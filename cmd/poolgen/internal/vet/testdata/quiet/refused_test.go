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
