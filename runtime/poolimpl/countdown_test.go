package poolimpl

import (
	"math"
	"math/rand/v2"
	"testing"
)

// seeded makes samples the same in each run of a test.
func seeded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wasExponential, wasUniform := exponential, uniform
	exponential, uniform = r.ExpFloat64, r.Float64
	t.Cleanup(func() { exponential, uniform = wasExponential, wasUniform })
}

// near requires that of n trials with a probability each some have happened: their number is within six standard deviations of what is expected.
func near(t *testing.T, what string, some, n int, probability float64) {
	t.Helper()
	mean, deviation := float64(n)*probability, math.Sqrt(float64(n)*probability*(1-probability))
	if d := math.Abs(float64(some) - mean); d > 6*deviation+1e-9 {
		t.Errorf("%s: %d of %d, want %.0f: %.1f standard deviations away", what, some, n, mean, d/deviation)
	}
}

// The probability of a sample depends on the weight of the request alone, whatever other requests there are.
func TestCountdown(t *testing.T) {
	seeded(t)
	s := &Sampling{Weights{PerByte: 1}, 1000, 0}
	for _, pattern := range [][]uint64{{1}, {100, 1}, {3000, 10, 500}} {
		var c Countdown
		const rounds = 40_000
		sampled := make([]int, len(pattern))
		for range rounds {
			for i, w := range pattern {
				if c.Spend(w) && c.take(s.interval) {
					sampled[i]++
				}
			}
		}
		for i, w := range pattern {
			near(t, "requests", sampled[i], rounds, s.chance(w))
		}
	}
}

// A block in one_in is guarded, and a block of n bytes is profiled as Go profiles it, in whatever way the two are combined.
func TestSampleKinds(t *testing.T) {
	seeded(t)
	const rounds, bytes = 200_000, 4096
	for _, s := range []*Sampling{
		{Weights{PerBlock: 1}, 0, 0},
		{Weights{PerBlock: 1}, -1 / math.Log1p(-1.0/50), 0},
		{Weights{PerByte: 1}, ProfileRate, 0},
		{Weights{PerByte: 50, PerBlock: 50 * ProfileRate / 50}, 50 * ProfileRate, 0},
	} {
		var c Countdown
		guarded, profiled := 0, 0
		for range rounds {
			if c.Spend(s.Of(bytes)) && c.take(s.interval) {
				of := s.kinds(bytes)
				if of == (Sample{}) {
					t.Fatal("a sample of no kind")
				}
				if of.Guard {
					guarded++
				}
				if of.Profile {
					profiled++
				}
			}
		}
		near(t, "guarded", guarded, rounds, s.chance(s.PerBlock))
		near(t, "profiled", profiled, rounds, s.chance(bytes*s.PerByte))
	}
}

// A batch counts its blocks up to the one that is sampled, which is counted by itself.
func TestCountdownBatch(t *testing.T) {
	seeded(t)
	s := &Sampling{Weights{PerBlock: 3}, 300, 0}
	var c Countdown
	sampled, singles := 0, 0
	const blocks, batch = 300_000, 64
	for left := blocks; left > 0; {
		want := min(batch, left)
		n := c.SpendSome(want, s.PerBlock)
		if back := n / 3; back > 0 { // the pool had not so many free blocks
			c.Return(back, s.PerBlock)
			n -= back
		}
		left -= n
		if n < want && left > 0 {
			left--
			singles++
			if c.Spend(s.PerBlock) && c.take(s.interval) {
				sampled++
			}
		}
	}
	near(t, "blocks", sampled, blocks, s.chance(s.PerBlock))
	if singles < sampled || c.SpendSome(math.MaxInt, 3) > 1<<30 {
		t.Errorf("%d samples among %d blocks that were counted one by one", sampled, singles)
	}
}

// Whoever takes a sample is the only one, and the first request may be sampled as any other.
func TestCountdownTake(t *testing.T) {
	lengths := []uint64{5, 7, 9}
	next := func() uint64 {
		n := lengths[0]
		lengths = lengths[1:]
		return n
	}
	var c Countdown
	if c.SpendSome(4, 1) != 0 || !c.Spend(6) || !c.Due() {
		t.Fatal("a countdown that has not begun serves requests")
	}
	if !c.take(next) || len(lengths) != 1 || c.Due() || c.take(next) {
		t.Errorf("the first request, of 6 in an interval of 5, is not sampled once: %v", lengths)
	}
	if got := c.SpendSome(4, 2); got != 3 || c.Spend(1) || !c.Spend(1) {
		t.Errorf("%d of 4 requests of 2 in an interval of 7", got)
	}
}
