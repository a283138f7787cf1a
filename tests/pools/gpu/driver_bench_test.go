//go:build !cudasim

package gpu

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// BenchmarkDriverPair compares a pool with ordering driver to the two calls of the driver that it makes, on the same memory pool: one allocation of 4 KiB on a stream
// and its free. Both take turns, so that the clock of the processor is the same for both. calls-ns and pool-ns are the medians of a pair, calls-least and pool-least
// the least, and more-ns is the median of how much longer the pool took in a turn. With several goroutines, each has a stream.
func BenchmarkDriverPair(b *testing.B) {
	const size = 4096
	l := newLab(b, 0)
	p := new(pools.DriverShardPool)
	b.Cleanup(func() { l.ok("close", p.Close()) })
	behind, err := l.device.DefaultMemPool()
	l.ok("the device's pool", err)
	calls := func(s cuda.Stream) error {
		x, err := behind.AllocAsync(size, s)
		if err != nil {
			return err
		}
		return cuda.FreeAsync(x, s)
	}
	pool := func(s cuda.Stream) error {
		x, err := p.AllocOn(size, s)
		if err != nil {
			return err
		}
		return p.FreeOn(x, s)
	}
	streams := l.streams(16)
	b.Run("one", func(b *testing.B) { inTurns(b, streams[:1], calls, pool) })
	b.Run("several", func(b *testing.B) { inTurns(b, streams, calls, pool) })
}

// inTurns measures pairs of calls, each with a goroutine for each stream.
func inTurns(b *testing.B, streams []cuda.Stream, calls, pool func(cuda.Stream) error) {
	const pairs = 500
	turn := func(pair func(cuda.Stream) error) float64 {
		var done sync.WaitGroup
		start := time.Now()
		for _, s := range streams {
			done.Go(func() {
				for range pairs {
					if err := pair(s); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		done.Wait()
		return float64(time.Since(start).Nanoseconds()) / pairs
	}
	var without, with, more []float64
	for b.Loop() {
		c, p := turn(calls), turn(pool)
		without, with, more = append(without, c), append(with, p), append(more, p-c)
	}
	median := func(all []float64) float64 {
		slices.Sort(all)
		return all[len(all)/2]
	}
	b.ReportMetric(median(without), "calls-ns")
	b.ReportMetric(median(with), "pool-ns")
	b.ReportMetric(median(more), "more-ns")
	b.ReportMetric(without[0], "calls-least")
	b.ReportMetric(with[0], "pool-least")
}
