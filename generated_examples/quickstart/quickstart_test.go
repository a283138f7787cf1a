package quickstart

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	v, err := AllocVertex()
	if err != nil {
		fmt.Println(err)
		return
	}
	v.Position = [3]float32{1, 2, 3}
	fmt.Println(v.Position, DefaultVertexPool().Stats().Live)

	fmt.Println(FreeVertex(v), FreeVertex(v) != nil)
	// Output:
	// [1 2 3] 1
	// <nil> true
}

// The limit is exact: 64 MiB hold 2 Mi vertices of 32 bytes, and not one more.
func TestLimitIsExact(t *testing.T) {
	p, err := NewVertexPool()
	if err != nil {
		t.Fatal(err)
	}
	const capacity = 64 << 20 / 32
	block := make([]*Vertex, capacity)
	if n, err := p.AllocBatch(block); n != capacity || err != nil {
		t.Fatalf("AllocBatch: %d, %v", n, err)
	}
	if _, err := p.Alloc(); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("one more: %v, want ErrLimit", err)
	}
	if s := p.Stats(); s.Reserved != 64<<20 || s.Live != capacity {
		t.Errorf("Reserved %d, Live %d", s.Reserved, s.Live)
	}
	if err := p.FreeBatch(block); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A block that was freed is refused, and so is a pointer that was never a block.
func TestInvalidFreesAreRefused(t *testing.T) {
	p, err := NewVertexPool()
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Free(new(Vertex)); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("a pointer from elsewhere: %v", err)
	}
	if err := p.Free(v); err != nil {
		t.Fatal(err)
	}
	if err := p.Free(v); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("a second free: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
