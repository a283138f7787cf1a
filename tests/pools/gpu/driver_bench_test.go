//go:build !cudasim

package gpu

import (
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// BenchmarkDriverPair compares a pool with ordering driver to the two calls of the driver that it makes, on the same memory pool: one allocation of 4 KiB on a stream
// and its free. With several goroutines, each has a stream.
func BenchmarkDriverPair(b *testing.B) {
	const size = 4096
	l := newLab(b, 0)
	p := new(pools.DriverShardPool)
	b.Cleanup(func() { l.ok("close", p.Close()) })
	pairs := []struct {
		name string
		pair func(cuda.Stream) error
	}{
		{"calls", func(s cuda.Stream) error {
			x, err := cuda.AllocAsync(size, s)
			if err != nil {
				return err
			}
			return cuda.FreeAsync(x, s)
		}},
		{"pool", func(s cuda.Stream) error {
			x, err := p.AllocOn(size, s)
			if err != nil {
				return err
			}
			return p.FreeOn(x, s)
		}},
	}
	for _, way := range pairs {
		b.Run("one/"+way.name, func(b *testing.B) {
			s := l.streams(1)[0]
			for b.Loop() {
				if err := way.pair(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	streams := l.streams(64)
	for _, way := range pairs {
		b.Run("several/"+way.name, func(b *testing.B) {
			var next atomic.Int32
			b.RunParallel(func(pb *testing.PB) {
				s := streams[int(next.Add(1))%len(streams)]
				for pb.Next() {
					if err := way.pair(s); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
