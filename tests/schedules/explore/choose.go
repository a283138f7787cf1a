package explore

import "fmt"

// choice is what happens next: a step of a thread, or the end of a store that stands in its buffer.
type choice struct {
	thread int
	proc   int // where a thread goes on that is not pinned to a processor yet, or the case of a Select; -1 for other steps
	entry  int // of the buffer; -1 for a step
	cost   Budget
}

// node is a choice among several.
type node struct {
	choices []choice
	at      int
}

// decide chooses what happens next. It carries out the ends of stores, and returns the next step of a thread; false if no
// thread has one.
func (x *explorer) decide() (choice, bool) {
	for {
		list := x.possible()
		if len(list) == 0 {
			if x.wake() {
				continue
			}
			return choice{}, false
		}
		if len(x.trace) > maxSteps {
			return x.stop("does not end")
		}
		c, ok := x.pick(list)
		if !ok {
			return x.stop(unfit)
		}
		x.trace = append(x.trace, c)
		x.spent = x.spent.plus(c.cost)
		if c.entry < 0 {
			x.chosen = c
			return c, true
		}
		x.threads[c.thread].finish(c.entry)
	}
}

// stop ends the schedule with a fault.
func (x *explorer) stop(f Fault) (choice, bool) {
	x.fault, x.ending = f, true
	return choice{}, false
}

// wake wakes idle threads if no other can go on. It reports false if there are none: all are done, or wait for ever.
func (x *explorer) wake() (some bool) {
	waits := ""
	for _, t := range x.threads {
		some = some || t.idle
		t.idle = false
		if !t.done {
			waits += fmt.Sprintf(", thread %d in %s", t.number, t.what)
		}
	}
	if x.rounds++; some && x.rounds > 50 || !some && waits != "" {
		x.stop(Fault("waits for ever" + waits))
		return false
	}
	return some
}

// possible returns what can happen next, first what costs nothing.
func (x *explorer) possible() []choice {
	list := x.list[:0]
	own, last := 0, x.current
	if last != nil {
		list = last.steps(choice{}, list)
		own = len(list)
	}
	leave := choice{}
	if own > 0 {
		leave.cost.Preemptions = 1
	}
	if last != nil && len(last.buffer) > 0 {
		leave.cost.Delays = 1
	}
	for _, t := range x.threads {
		if t != last {
			list = t.steps(leave, list)
		}
	}
	if len(list) > own || own == 0 { // nobody else could see the end of a store
		for _, t := range x.threads {
			list = t.ends(list)
		}
	}
	x.list = list
	return list
}

// steps appends the next steps of a thread.
func (t *thread) steps(c choice, to []choice) []choice {
	c.thread, c.proc, c.entry = t.number, -1, -1
	switch {
	case t.done || t.idle:
		return to
	case t.waits != nil:
		return t.waits.ready(t, c, to)
	}
	return append(to, c)
}

// ends appends the ends of stores in a thread's buffer that may come next.
func (t *thread) ends(to []choice) []choice {
	for i := range t.buffer {
		if i == 0 || x.opt.Weak && !t.overtakes(i) {
			to = append(to, choice{thread: t.number, proc: -1, entry: i})
		}
	}
	return to
}

// pick makes a choice. It reports false if it is not among those to replay.
func (x *explorer) pick(list []choice) (choice, bool) {
	switch {
	case len(x.script) > 0:
		want := x.script[0]
		x.script = x.script[1:]
		for _, c := range list {
			if c.same(want) {
				return c, true
			}
		}
		return choice{}, false
	case x.random != nil:
		if list[0].cost == (Budget{}) && list[0].entry < 0 && x.random.IntN(4) != 0 {
			return list[0], true // threads mostly go on
		}
		return list[x.random.IntN(len(list))], true
	case x.verbose():
		return list[0], true
	}
	if list = x.affordable(list); len(list) == 1 || x.known {
		return list[0], true
	}
	if x.depth < len(x.stack) {
		n := &x.stack[x.depth]
		x.depth++
		return n.choices[n.at], true
	}
	if !x.seen.visit(x.state(), x.left()) {
		x.known = true
		return list[0], true
	}
	var own []choice
	if n := len(x.spare); n > 0 {
		own, x.spare = x.spare[n-1], x.spare[:n-1]
	}
	x.stack = append(x.stack, node{choices: append(own[:0], list...)})
	x.depth++
	return list[0], true
}

// affordable returns the choices within the budget; the first if none is.
func (x *explorer) affordable(list []choice) []choice {
	n := 0
	for _, c := range list {
		if x.spent.plus(c.cost).within(x.opt.Bound) {
			list[n] = c
			n++
		}
	}
	return list[:max(n, 1)]
}

func (b Budget) plus(c Budget) Budget {
	return Budget{b.Preemptions + c.Preemptions, b.Moves + c.Moves, b.Delays + c.Delays}
}

func (b Budget) within(bound Budget) bool {
	return (bound.Preemptions < 0 || b.Preemptions <= bound.Preemptions) && (bound.Moves < 0 || b.Moves <= bound.Moves) &&
		(bound.Delays < 0 || b.Delays <= bound.Delays)
}
