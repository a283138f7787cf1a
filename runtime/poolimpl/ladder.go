package poolimpl

import (
	"fmt"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// runLadder tries the rungs of the ladder in order once the pool could not grow, and notes what came of each. The lock is held on entry and on return.
func (e *Engine) runLadder(r request, err error) (foundBlock, error) {
	wait := r.ctx != nil // somewhere, whatever the ladder says
	r.far = true
	for _, rung := range e.config.Ladder {
		if rung.Kind == RungError || r.over() {
			break
		}
		if !temporary(err) && (reason(err) != poolrt.ErrTooLarge || !e.config.helpsTooLarge(rung)) {
			continue
		}
		begun, before := time.Now(), progress{e.limits.reserved, e.streams.pending()}
		b, refusal, failed := e.tryRung(r, rung, err)
		if failed == nil {
			return b, nil
		}
		after := progress{e.limits.reserved, e.streams.pending()}
		*r.tried = append(*r.tried, poolrt.Attempt{
			Rung: rung.Kind.String(), Took: time.Since(begun), Outcome: e.config.outcome(rung, before, after, refusal, failed),
		})
		err = failed
		wait = wait && rung.Kind != RungWait
	}
	if wait && temporary(err) {
		return e.wait(r, err)
	}
	return foundBlock{}, err
}

// temporary reports whether a failure may pass: when others free blocks or give chunks back.
func temporary(err error) bool {
	kind := reason(err)
	return kind == poolrt.ErrLimit || kind == poolrt.ErrOutOfMemory
}

// tryRung tries one rung. err is what has gone wrong so far, and what it returns when the rung does not help. refusal is what another pool answered.
func (e *Engine) tryRung(r request, rung Rung, err error) (b foundBlock, refusal, failed error) {
	failed = err
	switch rung.Kind {
	case RungPoll:
		if e.recoverAll(r) {
			b, failed = e.allocOrGrow(r)
		} else if found, ok := e.allocNow(r); ok { // others may have reclaimed what they asked about before
			return found, nil, nil
		}
	case RungTrim:
		if e.trimForRequest(r, err) {
			b, failed = e.allocOrGrow(r)
		}
	case RungWait:
		b, failed = e.wait(r, err)
	case RungPool:
		if b, refusal = e.borrow(r, rung.Pool); refusal == nil {
			failed = nil
		}
	case RungDriver:
		b, failed = e.allocDirect(r, err)
	}
	return b, refusal, failed
}

// trimForRequest is the rung trim: whatever is empty here goes back, and in other pools of the budget until a chunk fits. It reports whether anything did. A pool
// without a lock cannot be touched by others.
func (e *Engine) trimForRequest(r request, err error) bool {
	n, _ := e.trim(0)
	need, _ := e.chunkSizes(r)
	budget := e.config.Budget
	for _, other := range budget.others(e) {
		if reason(err) == poolrt.ErrLimit && budget.available() >= need {
			break
		}
		if other.config.Locked {
			e.unlocked(func() {
				released, _ := other.Trim(0)
				n += released
			})
		}
	}
	return n > 0
}

// progress is what a rung may change.
type progress struct {
	reserved int64
	pending  int
}

// outcome says why a rung did not help. refusal is what another pool answered.
func (c *Config) outcome(rung Rung, before, after progress, refusal, failed error) string {
	switch rung.Kind {
	case RungPoll:
		return polled(before.pending, before.pending-after.pending)
	case RungTrim:
		if n := before.reserved - after.reserved; n > 0 {
			return fmt.Sprintf("%d %s went back, which was not enough", n, c.unit())
		}
		return "nothing was empty that could go back and make room"
	case RungPool:
		return refusal.Error()
	}
	if c, ok := failed.(*causedBy); ok {
		return c.cause.Error()
	}
	return failed.Error()
}

func polled(pending, reclaimed int) string {
	switch {
	case pending == 0:
		return "no free was waiting for a stream"
	case reclaimed <= 0:
		return fmt.Sprintf("of %d frees that wait for streams none had completed", pending)
	}
	return fmt.Sprintf("of %d frees that waited for streams %d had completed, which was not enough", pending, reclaimed)
}

// rungsBeforeWait lists the rungs before the one that waits: those that a waiter has tried already.
func (c *Config) rungsBeforeWait() []Rung {
	for i, r := range c.Ladder {
		if r.Kind == RungWait || r.Kind == RungError {
			return c.Ladder[:i]
		}
	}
	return c.Ladder
}

// hasRungDriver reports whether blocks may come directly from the source before anybody waits.
func (c *Config) hasRungDriver() bool {
	return slices.ContainsFunc(c.rungsBeforeWait(), func(r Rung) bool { return r.Kind == RungDriver })
}

// helpsTooLarge reports whether a rung may help a request that no chunk can hold: it gets memory from elsewhere, or makes room for that.
func (c *Config) helpsTooLarge(rung Rung) bool {
	switch rung.Kind {
	case RungPool, RungDriver:
		return true
	case RungPoll, RungTrim:
		return c.hasRungDriver()
	}
	return false
}

// retriedRungs lists the rungs that a waiter tries at each tick. In an ordered pool it asks the driver first, once, whatever the ladder says.
func (c *Config) retriedRungs(ordered bool) []Rung {
	rungs := c.rungsBeforeWait()
	if !ordered {
		return rungs
	}
	rungs = slices.DeleteFunc(slices.Clone(rungs), func(r Rung) bool { return r.Kind == RungPoll })
	return slices.Insert(rungs, 0, Rung{Kind: RungPoll})
}

const (
	// retryEvery is how often a waiter looks for memory elsewhere: frees in another pool do not wake it.
	retryEvery = 5 * time.Millisecond
	// pollEvery is how often a waiter asks the driver whether frees on streams have completed.
	pollEvery = 200 * time.Microsecond
)

// retries returns the ticks at which a waiter looks elsewhere, nil in a pool that has nowhere to look, and whether memory may come from other pools. ordered pools
// ask the driver at each tick.
func (c *Config) retries(ordered bool) (tick <-chan time.Time, elsewhere bool, stop func()) {
	elsewhere = slices.ContainsFunc(c.rungsBeforeWait(), func(r Rung) bool {
		return r.Kind == RungPool || r.Kind == RungTrim && c.Budget != nil
	})
	if !elsewhere && !c.hasRungDriver() && !ordered {
		return nil, false, func() {}
	}
	every := retryEvery
	if ordered {
		every = pollEvery
	}
	t := time.NewTicker(every)
	return t.C, elsewhere, t.Stop
}

// rungNames are the kinds of rungs as the pool file has them.
var rungNames = [...]string{RungPoll: "poll", RungTrim: "trim", RungWait: "wait", RungPool: "pool", RungError: "error", RungDriver: "driver"}

// String returns the name of the rung in a pool file: "poll", "wait", ...
func (k RungKind) String() string {
	if int(k) >= len(rungNames) {
		return "unknown"
	}
	return rungNames[k]
}
