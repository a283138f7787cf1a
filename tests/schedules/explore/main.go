package explore

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// Case is a program with a name.
type Case struct {
	Subject, Name string
	Program
}

// Result is a line of output, in JSON.
type Result struct {
	Subject, Name string
	Threads       int
	All           string // bound of preemptions up to which all schedules were explored: "2", "1", or "" for neither
	Report
}

// Main explores cases, as flags say, and prints a Result for each.
func Main(cases []Case) {
	var opt Options
	only := flag.String("only", "", "regular expression of subject/name")
	flag.IntVar(&opt.Procs, "procs", 2, "processors")
	flag.IntVar(&opt.Bound.Preemptions, "preemptions", 2, "at most so many in a schedule; -1: any number")
	flag.IntVar(&opt.Bound.Moves, "moves", 1, "the same, of moves to another processor")
	flag.IntVar(&opt.Bound.Delays, "delays", 1, "the same, of stores that others see late")
	flag.IntVar(&opt.Most, "most", 0, "at most so many schedules of each case; 0: all")
	flag.BoolVar(&opt.Random, "random", false, "random schedules")
	flag.Uint64Var(&opt.Seed, "seed", 1, "of random schedules")
	flag.BoolVar(&opt.Weak, "weak", false, "others see stores in any order")
	flag.StringVar(&opt.Replay, "replay", "", "run this schedule of one case, and print each step")
	first := flag.Bool("first", false, "end at the first fault")
	part := flag.Int("part", 0, "explore this part of the cases")
	of := flag.Int("of", 1, "number of parts")
	flag.Parse()
	chosen := regexp.MustCompile(*only)
	enc, bad := json.NewEncoder(os.Stdout), false
	bounds := []int{opt.Bound.Preemptions}
	if *first {
		bounds = []int{1, opt.Bound.Preemptions} // few schedules have most faults
	}
	for _, opt.Bound.Preemptions = range bounds {
		for i, c := range cases {
			if i%*of != *part || !chosen.MatchString(c.Subject+"/"+c.Name) || bad && *first {
				continue
			}
			r, all := bounded(opt, c.Program)
			if err := enc.Encode(Result{c.Subject, c.Name, len(c.Threads), all, r}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			bad = bad || r.Fault != ""
		}
	}
	if bad {
		os.Exit(1)
	}
}

// bounded is Explore. If Options.Most ends it, all schedules with one preemption follow, which are fewer and have most faults.
func bounded(opt Options, prog Program) (r Report, all string) {
	r = Explore(opt, prog)
	if opt.Bound.Preemptions > 1 && r.Schedules == opt.Most && r.Fault == "" {
		opt.Bound.Preemptions = 1
		was := r
		r = Explore(opt, prog)
		r.Schedules, r.Steps, r.States, r.Time = r.Schedules+was.Schedules, r.Steps+was.Steps, r.States+was.States, r.Time+was.Time
	}
	if r.Exhausted {
		all = strconv.Itoa(opt.Bound.Preemptions)
	}
	return r, all
}
