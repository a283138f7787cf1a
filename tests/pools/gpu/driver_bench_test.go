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
// and its free. With several goroutines, each has a stream. The figures are those of inTurns, in ns of a pair.
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
	b.Run("one", func(b *testing.B) { inTurns(b, turnOf(b, streams[:1], calls), turnOf(b, streams[:1], pool)) })
	b.Run("several", func(b *testing.B) { inTurns(b, turnOf(b, streams, calls), turnOf(b, streams, pool)) })
}

// turnOf returns a turn of pairs of calls, with a goroutine for each stream.
func turnOf(b *testing.B, streams []cuda.Stream, pair func(cuda.Stream) error) func() float64 {
	const pairs = 500
	return func() float64 {
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
}

// inTurns measures two things in turns, so that the clock of the processor is the same for both. without-ns and with-ns are the medians, without-least and with-least
// the least, and more-ns is the median of how much longer the second took in a turn.
func inTurns(b *testing.B, first, second func() float64) {
	var without, with, more []float64
	for b.Loop() {
		c, p := first(), second()
		without, with, more = append(without, c), append(with, p), append(more, p-c)
	}
	median := func(all []float64) float64 {
		slices.Sort(all)
		return all[len(all)/2]
	}
	b.ReportMetric(median(without), "without-ns")
	b.ReportMetric(median(with), "with-ns")
	b.ReportMetric(median(more), "more-ns")
	b.ReportMetric(without[0], "without-least")
	b.ReportMetric(with[0], "with-least")
}
