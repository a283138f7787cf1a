package threads

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"text/tabwriter"

	"github.com/poolgen/poolgen/tests/pools/bench/cache"
	"github.com/poolgen/poolgen/tests/pools/bench/peers"
	"github.com/poolgen/poolgen/tests/pools/bench/pools"
	"github.com/poolgen/poolgen/tests/pools/bench/trace"
)

// sizes are the numbers of live blocks between which the time of an operation should hardly change.
var sizes = []int{10, 100, 1000, 10_000, 100_000, 1_000_000}

// flat is a row of the table by the number of live blocks.
type flat struct {
	name  string
	start func(live int) session
	ratio float64 // goal for the largest figure : the smallest; 0 for none
	most  goals   // goal for the largest number of live blocks
}

// flats lists the rows. C allocators are there for comparison.
func flats() []flat {
	rows := []flat{
		{"fixed, mutex: one more", fixedBeside(func() blockPool { return new(pools.LockedPool) }), 2, nil},
		{"fixed, none: any replaced", fixedAmong(1, func() blockPool { return new(pools.GrowPool) }), 0, nil},
		{"fixed, none: any replaced, one chunk", fixedAmong(1, func() blockPool { return new(pools.GrowWholePool) }), 0, nil},
		{"fixed, mutex: any replaced", fixedAmong(1, func() blockPool { return new(pools.LockedPool) }), 0, nil},
		{"fixed, mutex: any replaced, one chunk", fixedAmong(1, func() blockPool { return new(pools.LockedWholePool) }), 0, nil},
		{"fixed, sharded: any replaced", fixedAmong(1, func() blockPool { return new(pools.FixedShardedPool) }), 0, nil},
		{"fixed, sharded: any replaced, one chunk", fixedAmong(1, func() blockPool { return new(pools.FixedShardedWholePool) }), 0, nil},
		{"Go: new: any replaced", newAmong(1), 0, nil},
		{"heap, none: churn", churned(func() bytesPool { return new(pools.LargePool) }), 0, goalsOf("1: 3 R_dep48")},
		{"heap, mutex: churn", churned(func() bytesPool { return new(pools.HeapMutexPool) }), 0, goalsOf("1: 3 R_dep48")},
		{"heap, sharded: churn", churned(func() bytesPool { return new(pools.HeapShardedPool) }), 0, goalsOf("1: 2 R_dep48")},
		{"binned, none: churn", churned(func() bytesPool { return new(pools.BinnedPool) }), 0, nil},
		{"binned, mutex: churn", churned(func() bytesPool { return new(pools.BinnedLockedPool) }), 0, nil},
		{"binned, sharded: churn", churned(func() bytesPool { return new(pools.BinnedShardedPool) }), 0, nil},
		{"classes, none: churn", churned(func() bytesPool { return new(pools.ClassesPool) }), 0, nil},
		{"classes, mutex: churn", churned(func() bytesPool { return new(pools.ClassesLockedPool) }), 0, nil},
		{"classes, sharded: churn", churned(func() bytesPool { return new(pools.ClassesShardedPool) }), 0, nil},
	}
	for _, a := range peers.Open() {
		rows = append(rows, flat{a.Name + ": churn", func(live int) session { return outside(a.Churn(steps(1, live), live)) }, 0, nil})
	}
	return append(rows, []flat{
		{"heap, mutex: one failed Alloc", failed(func() cache.Pool { return new(pools.HeapMutex8Pool) }), 3, nil},
		{"heap, sharded: one failed Alloc", failed(func() cache.Pool { return new(pools.HeapSharded8Pool) }), 3, nil},
		{"heap, sharded: Stats at the limit", counted(func() cache.Pool { return new(pools.HeapSharded8Pool) }), 3, nil},
	}...)
}

// flatReport prints the cost of an operation by the number of live blocks, with one thread.
func flatReport(w io.Writer, c crowd, o Options) error {
	runtime.GOMAXPROCS(1)
	refs := map[string]float64{}
	for _, r := range references() {
		refs[r.name] = least(c, r.start(1), 0, o)
	}
	most := map[string]float64{} // ns with the largest number of live blocks
	fmt.Fprintf(w, "\nns by the number of live blocks, one thread; R_dep4 %.1f, R_ind4 %.1f, R_dep48 %.1f, R_ind48 %.1f\n",
		refs["R_dep4"], refs["R_ind4"], refs["R_dep48"], refs["R_ind48"])
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprint(t, "pool")
	for _, n := range sizes {
		fmt.Fprintf(t, "\t%d", n)
	}
	fmt.Fprintln(t, "\tlargest : smallest\tgoal\t")
	for _, s := range flats() {
		if !o.Only.MatchString(s.name) {
			continue
		}
		low, high := math.Inf(1), 0.0
		fmt.Fprint(t, s.name)
		for _, n := range sizes {
			ns := least(c, s.start(n), n, o)
			low, high, most[s.name] = min(low, ns), max(high, ns), ns
			fmt.Fprintf(t, "\t%.1f", ns)
		}
		fmt.Fprintf(t, "\t%.2f\t%s\t\n", high/low, s.judge(high/low, most[s.name], refs))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return acrossReport(w, most, refs["R_mu2"])
}

// judge returns the goal of a row and whether the row meets it, as text: the ratio of its figures, and its time with the largest number of live blocks.
func (s *flat) judge(ratio, ns float64, refs map[string]float64) string {
	if s.ratio > 0 {
		return fmt.Sprintf("<= %g: %s", s.ratio, judge(ratio, s.ratio))
	}
	if g, ok := s.most.at(1); ok {
		return g.judge(ns, refs)
	}
	return ""
}

// acrossReport compares the replacement of any of the largest number of blocks in many chunks with that in one chunk, and with Go's new. mu2 is the time of R_mu2.
func acrossReport(w io.Writer, ns map[string]float64, mu2 float64) error {
	fmt.Fprintf(w, "\nAny of %d blocks replaced: many chunks beside one\n", sizes[len(sizes)-1])
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "pool\tns\tin one chunk\t: one chunk\t: Go's new\tgoal\t")
	for _, s := range []struct {
		name string
		more float64 // what the goal has beside the time in one chunk
	}{{"none", 0}, {"mutex", 1.1 * mu2}, {"sharded", 0}} {
		row := "fixed, " + s.name + ": any replaced"
		many, one := ns[row], ns[row+", one chunk"]
		if many == 0 || one == 0 {
			continue // not selected
		}
		fmt.Fprintf(t, "fixed, %s\t%.1f\t%.1f\t%.2f\t%.2f\t<= %.1f ns: %s\t\n",
			s.name, many, one, many/one, many/ns["Go: new: any replaced"], 1.3*one+s.more, judge(many, 1.3*one+s.more))
	}
	return t.Flush()
}

// least is the least of some turns of a session, which it ends. Before that most of the live blocks are replaced.
func least(c crowd, s session, live int, o Options) float64 {
	s.workers[0](2 * live)
	ns := math.Inf(1)
	for range max(o.Turns/2, 1) {
		ns = min(ns, must(c.run(s, piece, o.Span)))
	}
	if s.end != nil {
		s.end()
	}
	return ns
}

// blockPool and bytesPool are what the pools have in common. The calls through them cost the same at any number of blocks.
type blockPool interface {
	Alloc() (*block, error)
	Free(*block) error
	CloseForce() error
}

type bytesPool interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	CloseForce() error
}

// fixedBeside allocates and frees one block while others are live.
func fixedBeside(pool func() blockPool) func(int) session {
	return func(count int) session {
		p := pool()
		for range count {
			must(p.Alloc())
		}
		return session{each(1, func(int) work {
			return func(n int) int {
				for range n {
					check(p.Free(must(p.Alloc())))
				}
				return n
			}
		}), func() { check(p.CloseForce()) }}
	}
}

// among measures with threads what fixedAmong measures with one.
func among() []subject {
	return []subject{
		{name: "fixed, sharded: any replaced", kind: "blocksMany", start: func(n int) session {
			return fixedAmong(n, func() blockPool { return new(pools.FixedShardedPool) })(blocksLive)
		}},
		{name: "Go: new: any replaced", kind: "blocksMany", start: func(n int) session { return newAmong(n)(blocksLive) }},
	}
}

// fixedAmong replaces any of the live blocks, each worker any of its own: half of the time goes into misses of the cache, of the pool and of the
// lists of blocks.
func fixedAmong(n int, pool func() blockPool) func(live int) session {
	return func(live int) session {
		p := pool()
		return session{each(n, func(i int) work {
			return replaced(i, live/n, func(at **block) {
				if *at != nil {
					check(p.Free(*at))
				}
				*at = must(p.Alloc())
			})
		}), func() { check(p.CloseForce()) }}
	}
}

// newAmong is fixedAmong with Go's new, which leaves the frees to the garbage collector.
func newAmong(n int) func(live int) session {
	return func(live int) session {
		return session{workers: each(n, func(i int) work {
			return replaced(i, live/n, func(at **block) { *at = new(block) })
		})}
	}
}

// replaced returns a worker that replaces any of its blocks.
func replaced(seed, live int, replace func(**block)) work {
	all := make([]*block, live)
	state := trace.Seeded(seed)
	return func(n int) int {
		r := state // which lies beside those of other workers
		if all[0] == nil {
			for i := range all {
				replace(&all[i])
			}
		}
		for range n {
			replace(&all[r.Next()>>32*uint64(live)>>32])
		}
		state = r
		return n
	}
}

// churned replaces any of the live blocks by one of another size.
func churned(pool func() bytesPool) func(int) session {
	return func(count int) session {
		p := pool()
		l := newLoad[[]byte](0, count)
		l.fill(func(n int) []byte { return must(p.Alloc(n)) })
		return session{each(1, func(int) work {
			return func(n int) int {
				for range n {
					s := l.next()
					check(p.Free(l.blocks[s.Slot]))
					l.blocks[s.Slot] = must(p.Alloc(int(s.Size)))
				}
				return n
			}
		}), func() { check(p.CloseForce()) }}
	}
}
