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

// A program lowers the limit while it needs memory elsewhere, and restores it afterwards. The largest limit is that of the pool file, which has no max_limit.
func ExampleVertexPool_SetLimit() {
	pool, err := NewVertexPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc() // obtains a chunk of 8 MiB
	fmt.Println(err, pool.SetLimit(16<<20), pool.Stats().Limit)
	fmt.Println(errors.Is(pool.SetLimit(1<<20), poolrt.ErrLive), pool.Stats().Limit)
	fmt.Println(pool.SetLimit(64<<20), errors.Is(pool.SetLimit(65<<20), poolrt.ErrBadSize))
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// <nil> <nil> 16777216
	// true 16777216
	// <nil> true
	// <nil> <nil>
}

// A program reserves what it is going to need before it begins, all or nothing.
func ExampleVertexPool_Prime() {
	pool, err := NewVertexPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pool.Prime(20<<20), pool.Stats().Reserved>>20, "MiB")
	fmt.Println(errors.Is(pool.Prime(65<<20), poolrt.ErrLimit), pool.Stats().Reserved>>20, "MiB")
	fmt.Println(pool.Close())
	// Output:
	// <nil> 24 MiB
	// true 24 MiB
	// <nil>
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
