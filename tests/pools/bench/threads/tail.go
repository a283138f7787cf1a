package threads

import (
	"fmt"
	"io"
	"math/bits"
	"text/tabwriter"
	"time"
)

// tail counts times by their length, to 1/16, for one worker.
type tail struct {
	counts [64 * fine]uint64
	most   int64
	_      [120]byte
}

const fine = 16

var began = time.Now()

// now is the clock of tails, in ns.
func now() int64 { return int64(time.Since(began)) }

func (t *tail) add(ns int64) {
	u := uint64(max(ns, 1))
	e := uint64(bits.Len64(u) - 1)
	t.counts[e*fine+(u<<4>>e)&(fine-1)]++
	t.most = max(t.most, ns)
}

// quantile returns the time that a share of all times does not exceed, to 1/16.
func quantile(all []tail, share float64) float64 {
	var sum, below float64
	for i := range all {
		for _, c := range all[i].counts {
			sum += float64(c)
		}
	}
	for k := range all[0].counts {
		for i := range all {
			below += float64(all[i].counts[k])
		}
		if below >= share*sum {
			return float64(uint64(1)<<(k/fine)) * (1 + float64(k%fine+1)/fine)
		}
	}
	return 0
}

// mostTail is the goal for the slowest alloc in a thousand in a pool that is made for many threads, in ns.
const mostTail = 5000

// tailReport prints how long single allocs take while all threads work.
func tailReport(w io.Writer, c crowd, subjects []subject, n int, span time.Duration) error {
	fmt.Fprintf(w, "\nOne alloc, %d threads at work, ns. Each time has a look at the clock in it.\n", n)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "pool\tp50\tp99\tp99.9\tlongest\tgoal for p99.9\t")
	clock := subject{name: "(the clock alone)", probe: func(n int, tails []tail) session {
		return session{workers: each(n, func(i int) work {
			return func(n int) int {
				for range n {
					start := now()
					tails[i].add(now() - start)
				}
				return n
			}
		})}
	}}
	for _, s := range append([]subject{clock}, subjects...) {
		if s.probe == nil {
			continue
		}
		tails := make([]tail, n)
		one := s.probe(n, tails)
		must(c.run(one, piece, span/4)) // the pool grows here
		clear(tails)
		must(c.run(one, piece, span))
		if one.end != nil {
			one.end()
		}
		most := int64(0)
		for i := range tails {
			most = max(most, tails[i].most)
		}
		verdict := ""
		if p := quantile(tails, 0.999); s.sharded() {
			verdict = fmt.Sprintf("<= %d: %s", mostTail, judge(p, mostTail))
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%d\t%s\t\n", s.name, quantile(tails, 0.5), quantile(tails, 0.99), quantile(tails, 0.999), most, verdict)
	}
	return t.Flush()
}
