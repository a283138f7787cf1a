package arrow

import (
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// turns is how often the sides of a comparison are measured, one after the other. The fastest turn of each counts.
const turns = 100

// ratio reports the time of a call of each function, and that of the first as a multiple of the second's.
func ratio(b *testing.B, n int, ours, theirs func()) {
	least := [2]time.Duration{time.Hour, time.Hour}
	for range turns {
		for side, f := range []func(){ours, theirs} {
			start := time.Now()
			for range n {
				f()
			}
			least[side] = min(least[side], time.Since(start))
		}
	}
	for b.Loop() {
		ours()
	}
	b.ReportMetric(float64(least[0].Nanoseconds())/float64(n), "ours-ns")
	b.ReportMetric(float64(least[1].Nanoseconds())/float64(n), "theirs-ns")
	b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
}

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
				ratio(b, 200, func() { ours.Free(ours.Allocate(size)) }, func() { theirs.Free(theirs.Allocate(size)) })
			})
		}
	}
}

// BenchmarkRecord compares the building of a batch of rows.
func BenchmarkRecord(b *testing.B) {
	for _, theirs := range references {
		b.Run(theirs.name, func(b *testing.B) {
			ours := NewColumnAllocator(new(ColumnPool))
			ratio(b, 1, func() { record(ours, 10_000).Release() }, func() { record(theirs, 10_000).Release() })
		})
	}
}
