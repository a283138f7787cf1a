package main

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/bench/pools"
	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// bytesPool is a pool of bytes.
type bytesPool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Stats() poolrt.Stats
	Close() error
}

// load is the live blocks of a pool and the steps that replace them. After the last step it starts again with the first.
type load struct {
	steps  []trace.Step
	blocks [][]byte
	at     int
}

// fill allocates the live blocks of a churn.
func fill(p bytesPool, live int) *load {
	l := &load{steps: trace.Churn(trace.Seed, live, max(1<<16, 4*live)), blocks: make([][]byte, live)}
	for i, s := range trace.Churn(3*trace.Seed%(1<<63), live, live) {
		l.blocks[i] = must(p.Alloc(int(s.Size)))
	}
	return l
}

// next returns the next step.
func (l *load) next() trace.Step {
	s := l.steps[l.at]
	if l.at++; l.at == len(l.steps) {
		l.at = 0
	}
	return s
}

// churning replaces blocks; an operation is one free and one alloc.
func churning(p bytesPool, live int) func() func(int) {
	return func() func(int) {
		l := fill(p, live)
		return func(n int) {
			for range n {
				s := l.next()
				if err := p.Free(l.blocks[s.Slot]); err != nil {
					panic(err)
				}
				l.blocks[s.Slot] = must(p.Alloc(int(s.Size)))
			}
		}
	}
}

// The following functions repeat churning for each type of pool, with direct calls as in programs: two calls through an interface cost as much as
// a seventh of what the tightest target allows.

func churnSmall() func(int) {
	p := new(pools.SmallPool)
	l := fill(p, 1000)
	return func(n int) {
		for range n {
			s := l.next()
			if err := p.Free(l.blocks[s.Slot]); err != nil {
				panic(err)
			}
			b, err := p.Alloc(int(s.Size))
			if err != nil {
				panic(err)
			}
			l.blocks[s.Slot] = b
		}
	}
}

func churnLarge() func(int) {
	p := new(pools.LargePool)
	l := fill(p, 100_000)
	return func(n int) {
		for range n {
			s := l.next()
			if err := p.Free(l.blocks[s.Slot]); err != nil {
				panic(err)
			}
			b, err := p.Alloc(int(s.Size))
			if err != nil {
				panic(err)
			}
			l.blocks[s.Slot] = b
		}
	}
}

func churnBinned() func(int) {
	p := new(pools.BinnedPool)
	l := fill(p, 1000)
	return func(n int) {
		for range n {
			s := l.next()
			if err := p.Free(l.blocks[s.Slot]); err != nil {
				panic(err)
			}
			b, err := p.Alloc(int(s.Size))
			if err != nil {
				panic(err)
			}
			l.blocks[s.Slot] = b
		}
	}
}

func churnClasses() func(int) {
	p := new(pools.ClassesPool)
	l := fill(p, 1000)
	return func(n int) {
		for range n {
			s := l.next()
			if err := p.Free(l.blocks[s.Slot]); err != nil {
				panic(err)
			}
			b, err := p.Alloc(int(s.Size))
			if err != nil {
				panic(err)
			}
			l.blocks[s.Slot] = b
		}
	}
}

func heapCases() []benchmark {
	return []benchmark{
		{"heap good, 1,000 live", churnSmall, times(12, "R_add"), ""},
		{"heap good, 100,000 live", churnLarge, times(28, "R_add"), ""},
		{"heap good, mutex, 1,000 live", churning(new(pools.SmallLockedPool), 1000), locked(12, 1.1), ""},
		{"heap first, 1,000 live", churning(new(pools.FirstPool), 1000), nil, "O(log n)"},
		{"heap first, 100,000 live", churning(new(pools.FirstLargePool), 100_000), nil, "O(log n)"},
		{"heap best, 1,000 live", churning(new(pools.BestPool), 1000), nil, "O(log n)"},
		{"heap best, 100,000 live", churning(new(pools.BestLargePool), 100_000), nil, "O(log n)"},
		{"binned, 1,000 live", churnBinned, times(6, "R_add"), ""},
		{"binned, mutex, 1,000 live", churning(new(pools.BinnedLockedPool), 1000), locked(6, 1.1), ""},
		{"classes, 1,000 live", churnClasses, times(4, "R_add"), ""},
		{"classes, mutex, 1,000 live", churning(new(pools.ClassesLockedPool), 1000), locked(4, 1.1), ""},
	}
}
