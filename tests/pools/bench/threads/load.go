package threads

import "github.com/poolgen/poolgen/tests/pools/bench/trace"

const (
	live       = 1000      // blocks of each worker
	manyLive   = 100_000   // the same, in a large churn
	blocksLive = 1_000_000 // blocks of all workers, any of which is replaced
	flight     = 64        // blocks of each worker in a ring
)

// load is the live blocks of one worker and the steps that replace them. After the last step it starts again with the first.
type load[B any] struct {
	steps  []trace.Step
	at     int
	blocks []B // nil until fill: each worker allocates its first blocks itself
	count  int
	_      [128]byte
}

// loads makes the loads of n workers, with so many live blocks each.
func loads[B any](n, live int) []load[B] {
	all := make([]load[B], n)
	for i := range all {
		all[i] = newLoad[B](i, live)
	}
	return all
}

func newLoad[B any](i, count int) load[B] {
	return load[B]{steps: trace.Churn(trace.Seeded(i), count, max(1<<16, 2*count)), count: count}
}

// fill allocates the first live blocks.
func (l *load[B]) fill(alloc func(n int) B) {
	l.blocks = make([]B, l.count)
	for i, s := range trace.Churn(trace.Seeded(l.count), l.count, l.count) {
		l.blocks[i] = alloc(int(s.Size))
	}
}

// next returns the next step.
func (l *load[B]) next() trace.Step {
	s := l.steps[l.at]
	if l.at++; l.at == len(l.steps) {
		l.at = 0
	}
	return s
}

// drop frees the live blocks of all loads.
func drop[B any](all []load[B], free func(B)) {
	for i := range all {
		for _, b := range all[i].blocks {
			free(b)
		}
	}
}
