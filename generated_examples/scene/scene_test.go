package scene

import (
	"errors"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/poolgen/poolgen/generated_examples/scene/mesh"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	corners := make([]*mesh.Vertex, 3)
	if _, err := AllocVertexBatch(corners); err != nil {
		fmt.Println(err)
		return
	}
	triangle, err := AllocIndex(3)
	if err != nil {
		fmt.Println(err, FreeVertexBatch(corners))
		return
	}
	copy(triangle, []uint32{0, 1, 2})
	fmt.Println(len(triangle), cap(triangle), triangle)

	fmt.Println(FreeIndex(triangle[:2]) != nil) // not as it was handed out
	fmt.Println(FreeIndex(triangle), FreeVertexBatch(corners))
	// Output:
	// 3 3 [0 1 2]
	// true
	// <nil> <nil>
}

// Pools has all pools of the package: together they keep what TrimAll says.
func ExamplePools() {
	row, err := AllocIndex(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := AllocMatrix()
	if err != nil {
		fmt.Println(err, FreeIndex(row))
		return
	}
	fmt.Println(FreeIndex(row), FreeMatrix(m))
	_, err = Pools.TrimAll(0)
	fmt.Println(err, DefaultVertexPool().Stats().Reserved, DefaultIndexPool().Stats().Reserved, DefaultMatrixPool().Stats().Reserved)
	// Output:
	// <nil> <nil>
	// <nil> 0 0 0
}

// The budget bounds the pools together, and memory that one pool has no use for serves another.
func TestBudgetIsShared(t *testing.T) {
	vertices, indices := newVertexPool(t), newIndexPool(t)
	row, err := indices.Alloc(7 << 20 / 4)
	if err != nil {
		t.Fatal(err)
	}
	rest := make([]*mesh.Vertex, 1<<20/unsafe.Sizeof(mesh.Vertex{}))
	if _, err := vertices.AllocBatch(rest); err != nil {
		t.Fatal(err)
	}
	if _, err := vertices.Alloc(); !errors.Is(err, poolrt.ErrLimit) {
		t.Fatalf("beyond the budget: %v, want ErrLimit", err)
	}
	if err := indices.Free(row); err != nil {
		t.Fatal(err)
	}
	more, err := vertices.Alloc() // the rung trim takes the empty chunk from the other pool
	if err != nil {
		t.Fatalf("after the other pool became empty: %v", err)
	}
	if err := errors.Join(vertices.Free(more), vertices.FreeBatch(rest)); err != nil {
		t.Error(err)
	}
}

// Matrices are aligned to 64 bytes and zero whenever they are handed out.
func TestMatricesAreZeroAndAligned(t *testing.T) {
	p, err := NewMatrixPool()
	if err != nil {
		t.Fatal(err)
	}
	defer closePool(t, p)
	if s := p.Stats(); s.Reserved != 1<<20 {
		t.Errorf("Reserved %d at the start, want prime: 1MiB", s.Reserved)
	}
	for range 3 {
		m, err := p.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		if *m != [4][4]float32{} || uintptr(unsafe.Pointer(m))%64 != 0 {
			t.Errorf("matrix at %p is %v", m, *m)
		}
		m[1][2] = 3
		if err := p.Free(m); err != nil {
			t.Fatal(err)
		}
	}
}

// A full pool waits for a free that comes in time, and gives up after wait_timeout.
func TestFullPoolWaits(t *testing.T) {
	p, err := NewMatrixPool()
	if err != nil {
		t.Fatal(err)
	}
	defer closePool(t, p)
	all := make([]*[4][4]float32, 2<<20/64)
	if _, err := p.AllocBatch(all); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Alloc(); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("nobody freed: %v, want ErrLimit", err)
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		_ = p.Free(all[0])
	}()
	m, err := p.Alloc()
	if err != nil {
		t.Fatalf("a block was freed in time: %v", err)
	}
	all[0] = m
	if err := p.FreeBatch(all); err != nil {
		t.Error(err)
	}
}

// A pool that waits for room in the budget gets it from a free in another pool, although that keeps its empty chunk.
func TestFreeElsewhereEndsWait(t *testing.T) {
	indices := newIndexPool(t)
	matrices, err := NewMatrixPool()
	if err != nil {
		t.Fatal(err)
	}
	defer closePool(t, matrices)
	row, err := indices.Alloc(7 << 20 / 4)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*[4][4]float32, 1<<20/64) // what prime reserved
	if _, err := matrices.AllocBatch(all); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		_ = indices.Free(row)
	}()
	m, err := matrices.Alloc()
	if err != nil {
		t.Fatalf("the other pool became empty: %v", err)
	}
	if err := errors.Join(matrices.Free(m), matrices.FreeBatch(all)); err != nil {
		t.Error(err)
	}
}

type closer interface{ Close() error }

func closePool(t *testing.T, p closer) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func newVertexPool(t *testing.T) *VertexPool {
	t.Helper()
	p, err := NewVertexPool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, p) })
	return p
}

func newIndexPool(t *testing.T) *IndexPool {
	t.Helper()
	p, err := NewIndexPool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, p) })
	return p
}
