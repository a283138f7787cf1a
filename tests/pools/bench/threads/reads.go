package threads

import (
	"sync"

	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// line is a line of the cache. Its field next is the line that a chain of reads visits next.
type line struct {
	next uint32
	_    [60]byte
}

// circleOfLines returns so many bytes of lines that form one circle in random order (Sattolo, An Algorithm to Generate a Random Cyclic Permutation, 1986).
func circleOfLines(size int) []line {
	lines := make([]line, size/64)
	for i := range lines {
		lines[i].next = uint32(i)
	}
	r := trace.Seeded(0)
	for i := len(lines) - 1; i > 0; i-- {
		j := r.Next() >> 32 * uint64(i) >> 32
		lines[i].next, lines[j].next = lines[j].next, lines[i].next
	}
	return lines
}

// readers starts sessions whose workers read lines of one array.
func readers(size int, reader func(lines []line, i int) work) func(int) session {
	lines := sync.OnceValue(func() []line { return circleOfLines(size) })
	return func(n int) session {
		return session{workers: each(n, func(i int) work { return reader(lines(), i) })}
	}
}

// sums keep the results of reads alive, for one worker each.
var sums [1024]struct {
	sum uint32
	_   [124]byte
}

// chased reads lines at addresses that the reads before yield: the time of a miss of the cache.
func chased(size int) func(int) session {
	return readers(size, func(lines []line, i int) work {
		from := uint32(i * 997 % len(lines))
		return func(n int) int {
			at := from
			for range n {
				at = lines[at].next
			}
			from = at
			return n
		}
	})
}

// picked reads lines at random addresses that are known ahead: the processor waits for several misses at once.
func picked(size int) func(int) session {
	return readers(size, func(lines []line, i int) work {
		all := trace.Seeded(i)
		return func(n int) int {
			r, sum := all, uint32(0)
			for range n {
				sum += lines[r.Next()>>32*uint64(len(lines))>>32].next
			}
			all = r
			sums[i%len(sums)].sum += sum
			return n
		}
	})
}
