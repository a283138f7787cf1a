package grpc

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
)

// turns is how often the sides of a comparison are measured, one after the other. The fastest turn of each counts.
const turns = 100

// ratio reports the time of each function, and that of the first as a multiple of the second's.
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
	b.ReportMetric(float64(least[1].Nanoseconds())/float64(n), "default-ns")
	b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
}

// BenchmarkPair compares Get and Put with the default pool of gRPC.
func BenchmarkPair(b *testing.B) {
	for _, size := range []int{1025, 4 << 10, 9000, 16 << 10, 32 << 10, 100_000, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ours, theirs := NewFrameBuffers(new(FramePool)), mem.DefaultBufferPool()
			ratio(b, 200, func() { ours.Put(ours.Get(size)) }, func() { theirs.Put(theirs.Get(size)) })
		})
	}
}

// BenchmarkCall compares whole calls with those of a client and a server that have the default pool.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{5_000, 100_000, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			sent := random(size, 1)
			call := func(r *rig) func() {
				return func() {
					if _, err := r.call(sent); err != nil {
						b.Fatal(err)
					}
				}
			}
			ratio(b, 10, call(newRig(b, NewFrameBuffers(new(FramePool)))), call(newRig(b, mem.DefaultBufferPool())))
		})
	}
}
