package explore

import "iter"

// thread is a coroutine of the program.
type thread struct {
	number int
	body   func()
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	what    string  // its next operation
	waits   waiting // nil if the operation can be done at once
	history uint64  // hash of what the thread has read
	fresh   uint64  // number of identities that it has given out
	buffer  []entry
	proc    int
	started bool
	done    bool
	pinned  bool
	pins    int  // calls of Pin
	wrote   bool // since it was pinned
	idle    bool // until another thread writes
}

// waiting is what an operation waits for.
type waiting interface {
	// ready appends the ways to go on for a thread, none if it has to wait.
	ready(t *thread, c choice, to []choice) []choice
}

// unwind is what a thread panics with after a fault elsewhere.
type unwind struct{}

func newThread(number int, body func()) *thread {
	t := &thread{number: number, body: body}
	t.resume, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		for {
			if f := guard(t.body); f != "" && x.fault == "" {
				x.fault, x.ending = f, true
			}
			t.done, t.waits = true, nil
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return t
}

// reset prepares a thread for the next schedule.
func (t *thread) reset() {
	*t = thread{
		number: t.number, body: t.body, resume: t.resume, stop: t.stop, yield: t.yield,
		buffer: t.buffer[:0], proc: t.number % x.opt.Procs, what: "begins",
	}
}

// point is a scheduling point before an operation. It returns the thread whose operation is next, nil in Setup and Finish.
func point(what string, waits waiting) *thread {
	if x.ending && x.current != nil {
		panic(unwind{})
	}
	x.steps++
	t := x.current
	if t == nil {
		if len(x.threads) > 0 && x.steps > 100*maxSteps {
			Failf("%s: does not end", what)
		}
		if x.verbose() {
			printf("alone: %s", what)
		}
		return nil
	}
	t.what, t.waits = what, waits
	c, ok := x.decide()
	if ok && c.thread != t.number {
		t.yield(struct{}{})
	}
	if x.ending {
		panic(unwind{})
	}
	t.waits = nil
	t.reads(1)
	if x.verbose() {
		printf("T%d@P%d %s", t.number, t.proc, what)
	}
	return t
}

// reads adds a value to what the thread has read.
func (t *thread) reads(v uint64) { t.history = mix(t.history, v) }

// See adds a value to what the thread has read, if it comes from elsewhere than this package.
func See(v uint64) {
	if t := x.current; t != nil {
		t.reads(v)
	}
}

// Gosched lets other threads run until one of them has written something.
func Gosched() {
	if t := x.current; t != nil && !x.ending {
		t.idle = true
	} else if x.rounds++; x.rounds > maxSteps {
		Failf("Gosched: waits for ever")
	}
	point("Gosched", nil)
}

// Begin begins an operation of the thread, for a history that is checked later. It returns the time. Which operations have
// ended before is part of the state.
func Begin() int {
	if t := point("begins an operation", nil); t != nil {
		t.reads(x.past)
	}
	x.clock++
	return x.clock
}

// End ends an operation of the thread with a result, and returns the time.
func End(result uint64) int {
	x.clock++
	if t := x.current; t != nil {
		x.past += mix(t.history, result)
	}
	return x.clock
}
