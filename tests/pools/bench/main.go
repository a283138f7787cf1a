// Command bench compares the fast paths of generated pools with the cost of an atomic add, a lock, or an
// increment on the same machine, all in one run, and prints each figure as a ratio next to its target:
//
//	go -C tests/pools run ./bench
//
// With -threads it measures pools that several threads use, and on a machine with a GPU also pools of device memory: see package threads.
//
// With -sleep it measures, on a machine with a GPU, how long device memory takes to go and to come back: see package sleeping.
//
// Cases run in turns, and a slow moment of the machine affects all cases equally; figures are medians over the turns. On an idle machine, ratios say
// more than nanoseconds. The command does not fail because of a timing.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/poolgen/poolgen/tests/pools/bench/sleeping"
	"github.com/poolgen/poolgen/tests/pools/bench/threads"
)

func main() {
	turns := flag.Int("turns", 9, "how often each case runs")
	span := flag.Duration("span", 30*time.Millisecond, "how long one turn of a case takes")
	only := flag.String("run", "", "measure only cases that match, beside the references")
	crowd := flag.Bool("threads", false, "measure with 1, 2, 4 ... threads, beside other allocators")
	most := flag.Int("most", 0, "with -threads, the largest number of threads; 0 for as many as there are processors")
	file := flag.String("chart", "", "with -threads, a file for an SVG of the throughput")
	asleep := flag.Int64("sleep", 0, "measure sleep and wake of so many MiB of device memory; 0 measures something else")
	block := flag.Int64("block", 64, "with -sleep, MiB of one allocation")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err == nil && *asleep > 0 {
		err = sleeping.Run(os.Stdout, sleeping.Options{Bytes: *asleep << 20, Block: *block << 20, Turns: *turns, Only: pattern})
	}
	if err == nil && *crowd {
		err = threads.Run(os.Stdout, threads.Options{Turns: *turns, Span: *span, Only: pattern, Most: *most, Chart: *file})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *crowd || *asleep > 0 {
		return
	}
	var cases []*run
	for _, c := range slices.Concat(references(), limitReferences(), sampledReferences(), heldReferences(), fixedCases(), heapCases(), otherCases(), limitCases(), sampledCases(), heldCases()) {
		if c.reference() || pattern.MatchString(c.name) {
			cases = append(cases, &run{benchmark: c, loop: c.start()})
		}
	}
	measure(cases, *turns, *span)
	if err := report(os.Stdout, cases); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if pattern.MatchString("utilisation") {
		utilisation(os.Stdout)
	}
}

// benchmark is one case.
type benchmark struct {
	name   string
	start  func() func(n int) // prepares, and returns a function that runs n operations
	target target
	note   string // instead of a target
}

// reference reports whether the case is a reference, of which targets are multiples.
func (b *benchmark) reference() bool { return strings.HasPrefix(b.name, "R_") }

// run is a benchmark with its figures, in ns per operation.
type run struct {
	benchmark
	loop  func(n int)
	times []float64
}

// leastTurn is the number of operations of a trial; that of a turn is a multiple.
const leastTurn = 1024

// measure runs all cases in turns. The number of operations in a turn is set once, from a trial.
func measure(cases []*run, turns int, span time.Duration) {
	counts := make([]int, len(cases))
	for i, c := range cases {
		c.loop(leastTurn)
		counts[i] = leastTurn
		for took := time.Duration(0); took < span/4; counts[i] *= 2 {
			start := time.Now()
			c.loop(counts[i])
			took = time.Since(start)
		}
		counts[i] *= 2
	}
	for range turns {
		for i, c := range cases {
			start := time.Now()
			c.loop(counts[i])
			c.times = append(c.times, float64(time.Since(start).Nanoseconds())/float64(counts[i]))
		}
	}
}

// median returns the median of the figures; low returns the smallest.
func (r *run) median() (median, low float64) {
	slices.Sort(r.times)
	return r.times[len(r.times)/2], r.times[0]
}

// report prints the references, then each case with the ratio to its target.
func report(out *os.File, cases []*run) error {
	r := refs{"ns": 1}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "case\tns\tlowest\ttarget ns\tratio\ttarget\t")
	for _, c := range cases {
		ns, low := c.median()
		if c.reference() {
			r[c.name] = ns
		}
		if c.target == nil {
			fmt.Fprintf(w, "%s\t%.2f\t%.2f\t\t\t%s\t\n", c.name, ns, low, c.note)
			continue
		}
		most := c.target.most(r)
		verdict := "met"
		if ns > most {
			verdict = "missed"
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%s: %s\t\n", c.name, ns, low, most, ns/most, c.target, verdict)
	}
	return w.Flush()
}
