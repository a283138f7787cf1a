package threads

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/poolgen/poolgen/tests/pools/bench/pools"
)

// million is the number of blocks that are live while the collector runs.
const million = 1_000_000

// collectorReport prints how long a forced collection takes while a pool has a million live blocks. The metadata of a pool has no
// pointers for the collector to follow.
func collectorReport(w io.Writer) error {
	fmt.Fprintf(w, "\nA forced collection, %d live blocks of 64 B, ms (the least of several)\n", million)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "who has them\twithout\twith\tadds\tmetadata on Go's heap, B a block\t")
	for _, s := range []struct {
		name string
		fill func() any // returns a value that keeps the blocks alive
	}{
		{"fixed, mutex", func() any {
			p := new(pools.LockedPool)
			for range million {
				_ = must(p.Alloc())
			}
			return p
		}},
		{"heap, mutex", fillBytes(new(pools.HeapMutexPool))},
		{"heap, sharded", fillBytes(new(pools.HeapShardedPool))},
		{"binned, sharded", fillBytes(new(pools.BinnedShardedPool))},
		{"classes, sharded", fillBytes(new(pools.ClassesShardedPool))},
		{"Go: new", func() any {
			all := make([]*block, million)
			for i := range all {
				all[i] = new(block)
			}
			return all
		}},
	} {
		without, before := collection()
		keep := s.fill()
		with, after := collection()
		runtime.KeepAlive(keep)
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.1f\t\n", s.name, without, with, with-without, float64(after-before)/million)
		if p, ok := keep.(interface{ CloseForce() error }); ok {
			check(p.CloseForce())
		}
	}
	return t.Flush()
}

func fillBytes(p interface{ Alloc(int) ([]byte, error) }) func() any {
	return func() any {
		for range million {
			_ = must(p.Alloc(64))
		}
		return p
	}
}

// collection returns how long one takes, in ms, and how many bytes are on the heap then.
func collection() (ms float64, heap int64) {
	least := time.Hour
	for range 7 {
		start := time.Now()
		runtime.GC()
		least = min(least, time.Since(start))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(least.Microseconds()) / 1000, int64(m.HeapAlloc)
}
