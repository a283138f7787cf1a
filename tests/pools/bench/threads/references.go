package threads

//lint:file-ignore SA2001 the benchmark measures a lock that protects nothing

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/bench/cache"
)

// references are the times of the simplest operations that pools consist of. Goals are multiples of them.
func references() []subject {
	return []subject{
		{name: "R_mu2", note: "two bare Lock and Unlock of one lock", start: locks},
		{name: "R_add2", note: "two atomic adds to a word of the worker's own", start: adds},
		{name: "R_pin2", note: "two looks at the processor's number", start: looks},
		{name: "R_set", note: "a set of a cache that drops values at its limit, heap with a lock", start: caches(cacheWithLock, (*cache.Cache).Renew)},
		{name: "R_dep4", note: "a read at random in 4 MB, at an address that the read before yields", start: chased(4 << 20)},
		{name: "R_ind4", note: "the same, at an address known ahead", start: picked(4 << 20)},
		{name: "R_dep48", note: "R_dep4 in 48 MB", start: chased(48 << 20)},
		{name: "R_ind48", note: "R_ind4 in 48 MB", start: picked(48 << 20)},
		{name: "R_xchg", note: "a word handed from worker to worker", start: handovers},
	}
}

func locks(n int) session {
	mu := new(sync.Mutex)
	return session{workers: each(n, func(int) work {
		return func(n int) int {
			for range n {
				mu.Lock()
				mu.Unlock()
				mu.Lock()
				mu.Unlock()
			}
			return n
		}
	})}
}

func adds(n int) session {
	type line struct {
		word atomic.Uint64
		_    [120]byte
	}
	lines := make([]line, n)
	return session{workers: each(n, func(i int) work {
		word := &lines[i].word
		return func(n int) int {
			for range n {
				word.Add(1)
				word.Add(1)
			}
			return n
		}
	})}
}

func looks(n int) session {
	type line struct {
		sum uint32
		_   [124]byte
	}
	sums := make([]line, n)
	return session{workers: each(n, func(i int) work {
		return func(n int) int {
			sum := uint32(0)
			for range n {
				sum += poolimpl.Proc()
				sum += poolimpl.Proc()
			}
			sums[i].sum += sum
			return n
		}
	})}
}

func handovers(n int) session {
	all := make(circle[*uint64], n)
	word := new(uint64)
	return session{workers: each(n, func(i int) work {
		in, out := all.of(i)
		return func(n int) int {
			done := 0
			for range n {
				if out.room() {
					out.send(word)
					done++
				}
				in.receive()
			}
			return done
		}
	})}
}
