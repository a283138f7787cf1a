package threads

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

// reserveReport prints how much more memory pools reserve for a churn than is live in it, by the number of threads, both at their peaks. In
// parentheses it prints the memory of blocks at the end, including rounding and the free blocks of slabs and classes. Sharded pools can hardly
// reserve less than those of the same sizes with a mutex, whose threads share all free blocks: rounding up to powers of two alone takes a third.
func reserveReport(w io.Writer, c crowd, o Options) error {
	fmt.Fprintf(w, "\nReserved : live at the peak of a churn of 16 B to 64 KiB, %d live a thread, chunks of 8 MiB (and what blocks and slabs take up : live at the end)\n", live)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprint(t, "threads")
	for _, n := range counts(o.Most) {
		fmt.Fprintf(t, "\t%d", n)
	}
	fmt.Fprintf(t, "\t%d on 2\t\n", eight)
	for _, s := range []struct {
		name string
		make func() statsPool
	}{
		{"heap, mutex", func() statsPool { return new(pools.HeapMutex8Pool) }},
		{"heap, sharded", func() statsPool { return new(pools.HeapSharded8Pool) }},
		{"heap, sharded, trims", func() statsPool { return new(pools.HeapTrims8Pool) }},
		{"binned, mutex", func() statsPool { return new(pools.BinnedLockedPool) }},
		{"binned, sharded", func() statsPool { return new(pools.BinnedShardedPool) }},
		{"classes, mutex", func() statsPool { return new(pools.ClassesLockedPool) }},
		{"classes, sharded", func() statsPool { return new(pools.ClassesShardedPool) }},
	} {
		fmt.Fprint(t, s.name)
		column := func(workers, processors int) {
			runtime.GOMAXPROCS(processors)
			reserved, taken := reserve(c, s.make(), workers, o)
			fmt.Fprintf(t, "\t%.2f (%.2f)", reserved, taken)
		}
		for _, n := range counts(o.Most) {
			column(n, n)
		}
		column(eight, 2)
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}

// eight is the number of goroutines of the last column, which share two processors.
const eight = 8

// statsPool is a pool of bytes with Stats.
type statsPool interface {
	bytesPool
	Stats() poolrt.Stats
}

// reserve runs a churn with n threads, and returns the reserved bytes and those in blocks at the end, in multiples of the live bytes.
func reserve(c crowd, p statsPool, n int, o Options) (reserved, taken float64) {
	type worker struct {
		load[[]byte]
		sum, most int64
	}
	all := make([]worker, n)
	for i := range all {
		all[i].load = newLoad[[]byte](i, live)
	}
	must(c.run(session{workers: each(n, func(i int) work {
		l := &all[i]
		alloc := func(n int) []byte {
			l.sum += int64(n)
			l.most = max(l.most, l.sum)
			return must(p.Alloc(n))
		}
		return func(n int) int {
			if l.blocks == nil {
				l.fill(alloc)
			}
			for range n {
				s := l.next()
				l.sum -= int64(len(l.blocks[s.Slot]))
				check(p.Free(l.blocks[s.Slot]))
				l.blocks[s.Slot] = alloc(int(s.Size))
			}
			return n
		}
	})}, piece, 4*o.Span))
	sum := int64(0)
	for i := range all {
		sum += all[i].most
	}
	s := p.Stats()
	check(p.CloseForce())
	return float64(s.PeakReserved) / float64(sum), float64(s.LiveBytes+s.RoundingBytes+s.Cached) / float64(s.LiveBytes)
}
