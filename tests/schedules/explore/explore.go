// Package explore runs a concurrent program in all orders that its threads can take, one order after the other, and reports
// one that leads to a fault.
//
// The threads of a [Program] are coroutines, of which one runs at a time. Each operation on shared memory is a scheduling
// point: atomic loads and stores, locks, pins. Packages explore/atomic, explore/sync and explore/runtime have these
// operations under the names of the standard library, so the text of a package is explored once its imports are replaced.
//
// The orders form a tree, which [Explore] searches depth first. A state is what the variables hold, what each thread has
// read so far, and what stands in store buffers. A state that was reached before with at least as much budget left is not
// explored again. A budget bounds what a schedule may have: preemptions, moves to other processors, and stores that others
// see late. Most faults need few of them.
//
// # Memory
//
// Atomic operations are sequentially consistent, as Go promises. A relaxed store goes to a buffer of its processor, from
// which others see it later, in order. The thread's next atomic store or lock empties the buffer, as do a move to another
// processor and [Synchronize]. Loads are never early or late, so an order that only the loads of arm64 can take is not
// explored. Plain variables must be guarded by locks, pins or publication: the race detector looks for those that are not.
//
// A thread must be deterministic: what it does next depends on nothing but what it has read.
package explore

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"
)

// Options bound an exploration.
type Options struct {
	Procs  int    // processors; 0 means 2
	Bound  Budget // at most so much in a schedule; a negative number means any
	Most   int    // the exploration ends after so many schedules; 0 means when all have run
	Random bool   // random schedules
	Seed   uint64 // of random schedules
	Weak   bool   // stores to different variables may leave a buffer in any order, as on arm64
	Replay string // run this schedule alone, and print each step
}

// Budget is how much of each kind a schedule has, or may have at most.
type Budget struct {
	Preemptions int // switches from a thread that could go on
	Moves       int // threads that go on at another processor
	Delays      int // switches from a thread while others have not seen all of its stores
}

// Program is what is explored. Setup runs before the threads, and Finish after them, each alone. A panic with a [Fault], or
// any other panic, is a fault of the schedule.
type Program struct {
	Setup   func()
	Threads []func()
	Finish  func()
}

// Fault says what is wrong.
type Fault string

// Report is the result of an exploration.
type Report struct {
	Schedules int // that were run
	Steps     int // operations on shared memory, in all
	States    int // that differ
	Exhausted bool
	Time      time.Duration
	Fault     Fault  // "" if none was found
	Schedule  string // that leads to it
	Cost      Budget // of this schedule
}

// Explore explores a program. One exploration at a time can run.
func Explore(opt Options, prog Program) Report {
	opt.Procs = cmp.Or(opt.Procs, 2)
	defer func(outside *explorer) { x = outside }(x)
	x = newExplorer(opt, prog)
	for i, body := range prog.Threads {
		x.threads = append(x.threads, newThread(i, body))
	}
	defer func() {
		for _, t := range x.threads {
			t.stop()
		}
	}()
	if opt.Random {
		x.random = rand.New(rand.NewPCG(opt.Seed, 1))
	}
	if opt.Replay != "" {
		x.script = parse(opt.Replay)
	}
	begun := time.Now()
	r := x.search()
	r.Time, r.States = time.Since(begun), x.seen.n
	return r
}

// search runs schedules until all have run, one leads to a fault, or Options.Most is reached.
func (x *explorer) search() (r Report) {
	for {
		fault := x.execute()
		r.Schedules++
		r.Steps += x.steps
		switch {
		case fault != "":
			r.Fault, r.Schedule, r.Cost = fault, format(x.trace), x.spent
			return r
		case x.random == nil && !x.nextSchedule():
			r.Exhausted = !x.verbose()
			return r
		case r.Schedules == x.opt.Most:
			return r
		}
	}
}

// nextSchedule makes the last choice that has alternatives anew. It reports false if none has.
func (x *explorer) nextSchedule() bool {
	for len(x.stack) > 0 {
		n := &x.stack[len(x.stack)-1]
		if n.at++; n.at < len(n.choices) {
			return true
		}
		x.spare = append(x.spare, n.choices)
		x.stack = x.stack[:len(x.stack)-1]
	}
	return false
}

// explorer is the state of an exploration.
type explorer struct {
	opt     Options
	prog    Program
	threads []*thread
	stack   []node     // choices of this schedule that have alternatives
	spare   [][]choice // lists for new nodes
	seen    table
	random  *rand.Rand
	script  []choice // rest of the schedule to replay
	list    []choice // what can happen next

	schedule // the one that runs
}

// schedule is the state of a schedule while it runs.
type schedule struct {
	current *thread // nil in Setup and Finish
	chosen  choice
	trace   []choice
	depth   int  // number of nodes passed
	known   bool // the rest was explored before: run to the end by first choices
	ending  bool // a fault was found: threads unwind
	fault   Fault
	spent   Budget
	steps   int
	rounds  int // of idle threads, without a write
	clock   int // see Begin
	past    uint64
	memory  uint64 // hash of what variables hold
	alone   uint64 // number of identities given out by Setup and Finish
	owners  [maxProcs]*thread
	order   [maxProcs]uint64 // hash of what was done on a processor by threads that were pinned
	ids     map[unsafe.Pointer]uint64
	objects []object // that Setup has made, by address
}

// unfit is the fault of a schedule that was made for another program.
const unfit Fault = "the schedule does not fit the program"

// maxProcs bounds Options.Procs.
const maxProcs = 8

// maxSteps bounds a schedule: a longer one does not end.
const maxSteps = 20_000

// x is the exploration that runs. What is done outside of any is no part of a schedule.
var x = newExplorer(Options{Procs: 1}, Program{})

func newExplorer(opt Options, prog Program) *explorer {
	return &explorer{opt: opt, prog: prog, schedule: schedule{ids: map[unsafe.Pointer]uint64{}}}
}

// epoch is the number of the schedule, among those of all explorations.
var epoch uint32 = 1

// execute runs a schedule, and returns its fault.
func (x *explorer) execute() Fault {
	clear(x.ids)
	x.schedule = schedule{ids: x.ids, trace: x.trace[:0]}
	epoch++
	if f := guard(x.prog.Setup); f != "" {
		return "setup: " + f
	}
	x.steps = 0
	for _, t := range x.threads {
		t.reset()
	}
	for c, ok := x.decide(); ok; c = x.chosen {
		t := x.threads[c.thread]
		x.current, t.started = t, true
		t.resume()
		if x.ending {
			break
		}
		if t.done {
			_, ok = x.decide()
		}
	}
	if x.fault != "" {
		x.ending = true
		for _, t := range x.threads {
			if t.started && !t.done {
				x.current = t
				t.resume()
			}
		}
	}
	x.current = nil
	for _, t := range x.threads {
		t.drain()
	}
	if len(x.script) > 0 && x.fault == "" {
		x.fault = unfit
	}
	if x.fault != "" {
		return x.fault
	}
	steps := x.steps
	defer func() { x.steps = steps }()
	x.steps, x.rounds = 0, 0
	return guard(x.prog.Finish)
}

// guard runs a function, and returns the fault that it panics with.
func guard(f func()) (fault Fault) {
	defer func() {
		switch r := recover().(type) {
		case nil, unwind:
		case Fault:
			fault = r
		default:
			fault = Fault(fmt.Sprint("panic: ", r))
		}
	}()
	if f != nil {
		f()
	}
	return ""
}

// Failf panics with a fault.
func Failf(format string, args ...any) { panic(Fault(fmt.Sprintf(format, args...))) }
