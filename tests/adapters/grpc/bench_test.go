package grpc

import (
	"fmt"
	"testing"

	"google.golang.org/grpc/mem"

	"github.com/poolgen/poolgen/tests/adapters/internal/turns"
)

// BenchmarkPair compares Get and Put with the default pool of gRPC.
func BenchmarkPair(b *testing.B) {
	for _, size := range []int{1025, 4 << 10, 9000, 16 << 10, 32 << 10, 100_000, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ours, theirs := NewFrameBuffers(new(FramePool)), mem.DefaultBufferPool()
			turns.Compare(b, 200, func() { ours.Put(ours.Get(size)) }, func() { theirs.Put(theirs.Get(size)) })
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
			turns.Compare(b, 10, call(newRig(b, NewFrameBuffers(new(FramePool)))), call(newRig(b, mem.DefaultBufferPool())))
		})
	}
}
