package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

var (
	_ memory.Allocator = (*ColumnAllocator)(nil)
	_ memory.Allocator = (*TightAllocator)(nil)
)

// checked returns an allocator of a new pool, under the one of Arrow that finds leaks. At the end of the test nothing may be live in either.
func checked(t *testing.T) memory.Allocator {
	pool := new(ColumnPool)
	ours := NewColumnAllocator(pool)
	a := memory.NewCheckedAllocator(ours)
	t.Cleanup(func() {
		a.AssertSize(t, 0)
		if s := pool.Stats(); s.Live != 0 || s.Allocs == 0 {
			t.Errorf("%v", s)
		}
		if s := ours.Stats(); s != (poolrt.AdapterStats{}) {
			t.Errorf("%+v", s)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// record builds n rows: numbers, texts and lists, each of them null now and then.
func record(a memory.Allocator, n int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(a, schema)
	defer b.Release()
	numbers, texts, lists := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.StringBuilder), b.Field(2).(*array.ListBuilder)
	values := lists.ValueBuilder().(*array.Float64Builder)
	for i := range n {
		if i%7 == 3 {
			numbers.AppendNull()
			texts.AppendNull()
			lists.AppendNull()
			continue
		}
		numbers.Append(int64(i))
		texts.Append(fmt.Sprint("row ", i))
		lists.Append(true)
		for j := range i % 5 {
			values.Append(float64(i + j))
		}
	}
	return b.NewRecordBatch()
}

// What is built in blocks of a pool is what is built on the Go heap.
func TestBuilders(t *testing.T) {
	a := checked(t)
	for _, n := range []int{0, 1, 100, 20_000} {
		got, want := record(a, n), record(memory.NewGoAllocator(), n)
		if !array.RecordEqual(got, want) {
			t.Errorf("%d rows differ", n)
		}
		part := got.NewSlice(int64(n/3), int64(n/2))
		got.Release()
		if other := want.NewSlice(int64(n/3), int64(n/2)); !array.RecordEqual(part, other) {
			t.Errorf("a part of %d rows differs", n)
		}
		part.Release()
	}
}

// Arrays are concatenated and compared.
func TestConcatenate(t *testing.T) {
	a := checked(t)
	r := record(a, 1000)
	defer r.Release()
	for i := range int(r.NumCols()) {
		c := r.Column(i)
		both, err := array.Concatenate([]arrow.Array{c, c}, a)
		fatal.If(t, err)
		if both.Len() != 2000 || !array.SliceEqual(both, 1000, 2000, c, 0, 1000) {
			t.Errorf("column %d differs", i)
		}
		both.Release()
	}
}

// Files are written and read in blocks of the pool.
func TestFiles(t *testing.T) {
	a := checked(t)
	r := record(a, 5000)
	defer r.Release()
	for _, option := range []ipc.Option{ipc.WithAllocator(a), ipc.WithLZ4(), ipc.WithZstd()} {
		var file bytes.Buffer
		w := ipc.NewWriter(&file, ipc.WithSchema(r.Schema()), ipc.WithAllocator(a), option)
		fatal.If(t, errors.Join(w.Write(r), w.Write(r), w.Close()))
		reader, err := ipc.NewReader(&file, ipc.WithAllocator(a))
		fatal.If(t, err)
		n := 0
		for reader.Next() {
			n++
			if !array.RecordEqual(reader.RecordBatch(), r) {
				t.Error("what was read differs from what was written")
			}
		}
		if n != 2 || reader.Err() != nil {
			t.Errorf("%d batches, %v", n, reader.Err())
		}
		reader.Release()
	}
}

// A buffer of Arrow grows, shrinks and keeps its content.
func TestBuffer(t *testing.T) {
	a := checked(t)
	b := memory.NewResizableBuffer(a)
	defer b.Release()
	for i, n := range []int{1, 100, 10, 5000, 64, 0, 3, 1 << 20} {
		kept := min(b.Len(), n)
		before := bytes.Clone(b.Bytes()[:kept])
		b.Resize(n)
		if b.Len() != n || !bytes.Equal(b.Bytes()[:kept], before) {
			t.Errorf("after Resize(%d): length %d", n, b.Len())
		}
		if n > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(b.Bytes())))%64 != 0 {
			t.Errorf("after Resize(%d) the buffer begins at %p", n, unsafe.SliceData(b.Bytes()))
		}
		memory.Set(b.Bytes(), byte(i))
	}
}

// At the limit a builder panics with the error of the pool. What was built before stays, and can be released.
func TestLimit(t *testing.T) {
	pool := new(TightPool)
	a := NewTightAllocator(pool)
	b := array.NewInt64Builder(a)
	err := func() (err error) {
		defer func() { err, _ = recover().(error) }()
		for i := range int64(1 << 20) {
			b.Append(i)
		}
		return nil
	}()
	if !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrTooLarge) {
		t.Errorf("%v", err)
	}
	b.Release()
	if s := pool.Stats(); s.Live != 0 || s.PeakReserved > s.Limit {
		t.Errorf("%v", s)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// Arrow takes what it has allocated as zero: where a column has no values, its writer of files takes a new buffer for the bitmap. So blocks that were used before are
// zero.
func TestUsedBlocksAreZero(t *testing.T) {
	a := checked(t)
	used := a.Allocate(1 << 20) // most of a chunk: what follows lies there
	memory.Set(used, 0xFF)
	a.Free(used)
	const n = 3000
	b := array.NewInt64Builder(a)
	defer b.Release()
	b.AppendNulls(n)
	nulls := b.NewArray()
	defer nulls.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "number", Type: nulls.DataType(), Nullable: true}}, nil)
	r := array.NewRecordBatch(schema, []arrow.Array{nulls}, n)
	defer r.Release()
	var file bytes.Buffer
	w := ipc.NewWriter(&file, ipc.WithSchema(schema), ipc.WithAllocator(a))
	fatal.If(t, errors.Join(w.Write(r), w.Close()))
	reader, err := ipc.NewReader(&file, ipc.WithAllocator(a))
	fatal.If(t, err)
	defer reader.Release()
	if !reader.Next() || !array.RecordEqual(reader.RecordBatch(), r) {
		t.Error("a column of nulls has values in a file")
	}
}
