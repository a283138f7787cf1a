package arrow

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/poolgen/poolgen/tests/adapters/internal/turns"
)

// reference is an allocator of Arrow to compare with.
type reference struct {
	name string
	memory.Allocator
}

// references are the allocators of Arrow: that of the Go heap and, with cgo, that of the C library.
var references = []reference{{"go", memory.NewGoAllocator()}}

// BenchmarkPair compares Allocate and Free with the allocators of Arrow.
func BenchmarkPair(b *testing.B) {
	for _, theirs := range references {
		for _, size := range []int{64, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprint(theirs.name, "/", size), func(b *testing.B) {
				ours := NewColumnAllocator(new(ColumnPool))
				turns.Compare(b, 200, func() { ours.Free(ours.Allocate(size)) }, func() { theirs.Free(theirs.Allocate(size)) })
			})
		}
	}
}

// BenchmarkRecord compares the building of a batch of rows.
func BenchmarkRecord(b *testing.B) {
	for _, theirs := range references {
		b.Run(theirs.name, func(b *testing.B) {
			ours := NewColumnAllocator(new(ColumnPool))
			turns.Compare(b, 1, func() { record(ours, 10_000).Release() }, func() { record(theirs, 10_000).Release() })
		})
	}
}
