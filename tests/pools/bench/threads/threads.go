// Package threads measures pools that several threads use at once, next to the basic costs of the machine and next to
// other allocators, all in one run. It implements the flag -threads of tests/pools/bench.
//
// The time of an operation is that of all threads together: with twice the threads on twice the processors it halves, in the best case. Subjects run in
// turns: a slow moment of the machine affects all of them equally.
//
// If there is a CUDA driver, pools of device memory are measured too, next to the driver's own allocators and the memory pools of PyTorch and
// CuPy, which run in separate processes of python3, if it has them.
package threads

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/poolgen/poolgen/internal/chart"
	"github.com/poolgen/poolgen/tests/pools/bench/peers"
)

// Options select what is measured.
type Options struct {
	Turns int            // how often each subject runs
	Span  time.Duration  // how long a turn takes
	Only  *regexp.Regexp // names of subjects; references are always measured
	Most  int            // threads; 0 for as many as there are processors
	Chart string         // file for a chart of the throughput, or ""
}

// Run measures and prints. It does not fail because of a timing.
func Run(w io.Writer, o Options) error {
	peers.MakeRoom()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	c := crowd{cpus()}
	all := subjectsOf(w, o.Only)
	var tables []table
	for _, n := range counts(o.Most) {
		if n > 1 {
			all = slices.DeleteFunc(all, func(s subject) bool { return s.alone })
		}
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
	if err := reserveReport(w, c, o); err != nil {
		return err
	}
	if err := collectorReport(w); err != nil {
		return err
	}
	if err := growthReport(w, o); err != nil {
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

// subjectsOf returns the selected subjects. It prints those that this machine does not have.
func subjectsOf(w io.Writer, only *regexp.Regexp) []subject {
	onDevice, there := ofDevice(w)
	measured := slices.Concat(bare(), pooled(), written(), among(), atLimit(), ofGo(), others(), onDevice)
	measured = slices.DeleteFunc(measured, func(s subject) bool { return !only.MatchString(s.name) || s.onDevice() && !there })
	return append(references(), measured...)
}

// row is a subject with its figures.
type row struct {
	subject
	session
	moved bool
	times []float64 // ns per operation
}

// goals returns the goals for the load of the row.
func (r *row) goal(n int) (goal, bool) {
	if r.moved {
		return r.movedGoals.at(n)
	}
	return r.goals.at(n)
}

// median, the least of the figures, and the upper quartile.
func (r *row) median() (median, least, high float64) {
	slices.Sort(r.times)
	k := len(r.times)
	return r.times[k/2], r.times[0], r.times[k-1-k/4]
}

// table has the figures for one number of threads.
type table struct {
	threads int
	rows    []*row
	lost    []string // subjects that failed, and why
}

// measure runs all subjects in turns.
func measure(c crowd, subjects []subject, n int, o Options) table {
	runtime.GOMAXPROCS(n)
	t := table{threads: n}
	for _, s := range subjects {
		t.add(&row{subject: s}, s.start)
	}
	for _, s := range subjects {
		if s.moved != nil {
			t.add(&row{subject: s, moved: true}, s.moved)
		}
	}
	slices.SortStableFunc(t.rows, func(a, b *row) int { return a.rank() - b.rank() })
	for turn := range o.Turns + 1 {
		t.rows = slices.DeleteFunc(t.rows, func(r *row) bool {
			runtime.GC() // a collection that one subject began must not run while another is measured
			ns, err := r.turn(c, n, o.Span)
			if err != nil {
				t.lose(r, errors.Join(err, r.close()))
			} else if turn > 0 {
				r.times = append(r.times, ns)
			}
			return err != nil
		})
	}
	for _, r := range t.rows {
		if err := r.close(); err != nil {
			t.lose(r, err)
		}
	}
	return t
}

// add adds a row and starts its session.
func (t *table) add(r *row, start func(n int) session) {
	err := try(func() {
		if start != nil {
			r.session = start(t.threads)
		}
	})
	if err != nil {
		t.lose(r, err)
		return
	}
	t.rows = append(t.rows, r)
}

func (t *table) lose(r *row, err error) {
	t.lost = append(t.lost, fmt.Sprintf("%s, %s: %v", r.section(), r.name, err))
}

// turn measures for a while, with n threads.
func (r *row) turn(c crowd, n int, span time.Duration) (float64, error) {
	if r.timed != nil {
		return r.timed(n, span)
	}
	return c.run(r.session, r.first(), span)
}

// close ends the session.
func (r *row) close() error {
	end := r.end
	r.session = session{}
	if end == nil {
		return nil
	}
	return try(end)
}

// references are the medians of the references, and of the other allocators in a section.
func (t *table) references(section string) map[string]float64 {
	refs := map[string]float64{}
	for _, r := range t.rows {
		if r.kind == "" || r.section() == section && !r.ours() {
			refs[r.name], _, _ = r.median()
		}
	}
	return refs
}

// sharded reports whether a subject is made for many threads.
func (s *subject) sharded() bool {
	return strings.Contains(s.name, "sharded") || strings.Contains(s.name, "magazine")
}

// ours reports whether a subject is a pool of poolgen: only those have goals, which may be empty.
func (s *subject) ours() bool { return s.goals != nil }

// judge returns whether a figure meets its goal, as text.
func judge(ns, most float64) string {
	if ns <= most {
		return "ok"
	}
	return fmt.Sprintf("FALLS SHORT %.2fx", ns/most)
}
