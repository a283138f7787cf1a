package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/poolgen/poolgen/tests/pools/bench/pools"
	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// trials is the number of churns for a utilisation. With few chunks, it depends on chance whether one more is needed.
const trials = 20

// utilisation prints the share of the reserved memory that is in use at the peak of a churn: the mean, and the extremes.
func utilisation(w io.Writer) {
	for _, c := range []struct {
		name  string
		make  func() bytesPool
		live  int
		chunk int64
		goal  float64
	}{
		{"heap good, 1,000 live, chunks of 2 MiB", func() bytesPool { return new(pools.SmallPool) }, 1000, 2 << 20, 85},
		{"heap good, 100,000 live, chunks of 32 MiB", func() bytesPool { return new(pools.LargePool) }, 100_000, 32 << 20, 93},
		{"heap first, 1,000 live, chunks of 2 MiB", func() bytesPool { return new(pools.FirstPool) }, 1000, 2 << 20, 0},
		{"heap best, 1,000 live, chunks of 2 MiB", func() bytesPool { return new(pools.BestPool) }, 1000, 2 << 20, 0},
		{"binned, 1,000 live, chunks of 8 MiB", func() bytesPool { return new(pools.BinnedPool) }, 1000, 8 << 20, 0},
		{"classes, 1,000 live, chunks of 8 MiB", func() bytesPool { return new(pools.ClassesPool) }, 1000, 8 << 20, 0},
	} {
		var shares []float64
		var sum, most float64
		for i := range trials {
			live, reserved := peaks(c.make(), trace.Seeded(i), c.live)
			shares = append(shares, percent(live, reserved))
			sum += percent(live, reserved)
			most += percent(live, (live+c.chunk-1)/c.chunk*c.chunk)
		}
		fmt.Fprintf(w, "utilisation, %s: %.1f %% of the first churn, %.1f %% on average (%.1f to %.1f); %.1f %% with the fewest chunks that hold the bytes",
			c.name, shares[0], sum/trials, slices.Min(shares), slices.Max(shares), most/trials)
		if c.goal > 0 {
			fmt.Fprintf(w, ", target %.0f %%", c.goal)
		}
		fmt.Fprintln(w)
	}
}

// percent is a share of bytes.
func percent(part, whole int64) float64 { return 100 * float64(part) / float64(whole) }

// peaks fills a pool, replaces each block eight times on average, and returns the largest numbers of live and of reserved bytes.
func peaks(p bytesPool, r trace.Random, count int) (live, reserved int64) {
	blocks := make([][]byte, count)
	for i, s := range trace.Churn(3*r%(1<<63), count, count) {
		blocks[i] = must(p.Alloc(int(s.Size)))
	}
	for _, s := range trace.Churn(r, count, 8*count) {
		check(p.Free(blocks[s.Slot]))
		blocks[s.Slot] = must(p.Alloc(int(s.Size)))
	}
	s := p.Stats()
	for _, b := range blocks {
		check(p.Free(b))
	}
	check(p.Close())
	return s.PeakBytes, s.PeakReserved
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
