// Package threads measures what pools cost when several threads use them at once, beside what the machine itself needs and beside
// other allocators, all in one run. It is the part of tests/bench behind -threads.
//
// The time of an operation is that of all threads together: with twice the threads on twice the processors it halves, in the best
// case. Subjects take turns, so that a slow moment of the machine hits all alike.
package threads

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/poolgen/poolgen/tests/bench/chart"
	"github.com/poolgen/poolgen/tests/bench/peers"
)

// Options say what to measure.
type Options struct {
	Turns int            // how often each subject runs
	Span  time.Duration  // how long a turn takes
	Only  *regexp.Regexp // names of subjects; references are always measured
	Most  int            // threads; 0 for as many as there are processors
	Chart string         // file for a chart of the throughput, or ""
}

// Run measures and prints. Nothing fails: timings are read by people.
func Run(w io.Writer, o Options) error {
	peers.MakeRoom()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	c := crowd{cpus()}
	all := subjectsOf(o.Only)
	var tables []table
	for _, n := range counts(o.Most) {
		tables = append(tables, measure(c, all, n, o))
		if err := tables[len(tables)-1].print(w); err != nil {
			return err
		}
	}
	if o.Chart != "" {
		if err := os.WriteFile(o.Chart, []byte(chart.SVG(panels(tables))), 0o666); err != nil {
			return err
		}
	}
	last := tables[len(tables)-1].threads
	runtime.GOMAXPROCS(last)
	if err := tailReport(w, c, all, last, 10*o.Span); err != nil {
		return err
	}
	if err := collectorReport(w); err != nil {
		return err
	}
	return flatReport(w, c, o)
}

// counts lists the numbers of threads: powers of two, and as many as there are processors.
func counts(most int) (list []int) {
	if most == 0 {
		most = runtime.NumCPU()
	}
	for n := 1; n < most; n *= 2 {
		list = append(list, n)
	}
	return append(list, most)
}

// subjectsOf returns the subjects that are asked for.
func subjectsOf(only *regexp.Regexp) []subject {
	measured := slices.Concat(pooled(), ofGo(), others())
	measured = slices.DeleteFunc(measured, func(s subject) bool { return !only.MatchString(s.name) })
	return append(references(), measured...)
}

// row is a subject with its figures.
type row struct {
	subject
	session
	moved bool
	times []float64 // ns per operation
}

// goals are those of the load that the row is for.
func (r *row) goal(n int) (goal, bool) {
	if r.moved {
		return r.movedGoals.at(n)
	}
	return r.goals.at(n)
}

// median of the figures, the least of them, and what a quarter of them exceeds.
func (r *row) median() (median, least, high float64) {
	slices.Sort(r.times)
	k := len(r.times)
	return r.times[k/2], r.times[0], r.times[k-1-k/4]
}

// table is what was measured with some number of threads.
type table struct {
	threads int
	rows    []*row
}

// measure runs all subjects in turns.
func measure(c crowd, subjects []subject, n int, o Options) table {
	runtime.GOMAXPROCS(n)
	t := table{threads: n}
	for _, s := range subjects {
		t.rows = append(t.rows, &row{subject: s, session: s.start(n)})
	}
	for _, s := range subjects {
		if s.moved != nil {
			t.rows = append(t.rows, &row{subject: s, session: s.moved(n), moved: true})
		}
	}
	slices.SortStableFunc(t.rows, func(a, b *row) int { return a.rank() - b.rank() })
	for turn := range o.Turns + 1 {
		for _, r := range t.rows {
			runtime.GC() // so that no collection that one began runs while another is measured
			if ns := c.run(r.session, o.Span); turn > 0 {
				r.times = append(r.times, ns)
			}
		}
	}
	for _, r := range t.rows {
		if r.end != nil {
			r.end()
		}
		r.workers = nil
	}
	return t
}

// references are the medians of the references.
func (t *table) references() map[string]float64 {
	refs := map[string]float64{}
	for _, r := range t.rows {
		if r.kind == "" {
			refs[r.name], _, _ = r.median()
		}
	}
	return refs
}

// sharded reports whether a subject is made for many threads.
func (s *subject) sharded() bool {
	return strings.Contains(s.name, "sharded") || strings.Contains(s.name, "magazine")
}

// judge says whether a figure meets its goal.
func judge(ns, most float64) string {
	if ns <= most {
		return "ok"
	}
	return fmt.Sprintf("FALLS SHORT %.2fx", ns/most)
}
