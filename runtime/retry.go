package runtime

import (
	"slices"
	"time"
)

// retryEvery is how often a waiter looks for memory elsewhere: frees in another pool do not wake it.
const retryEvery = 5 * time.Millisecond

// retries returns the ticks at which a waiter looks around, nil in a pool that has nowhere to look, and whether memory may come from
// other pools.
func (e *Engine) retries() (tick <-chan time.Time, elsewhere bool, stop func()) {
	elsewhere = slices.ContainsFunc(e.rungsBeforeWait(), func(r Rung) bool {
		return r.Kind == RungPool || r.Kind == RungTrim && e.config.Budget != nil
	})
	if !elsewhere && !e.hasRungDriver() && e.core.stream == nil {
		return nil, false, func() {}
	}
	every := retryEvery
	if e.core.stream != nil {
		every = pollEvery
	}
	t := time.NewTicker(every)
	return t.C, elsewhere, t.Stop
}

// hasRungDriver reports whether blocks may come straight from the source before anybody waits.
func (e *Engine) hasRungDriver() bool {
	return slices.ContainsFunc(e.rungsBeforeWait(), func(r Rung) bool { return r.Kind == RungDriver })
}

// pollEvery is how often a waiter asks the driver whether frees on streams have completed.
const pollEvery = 200 * time.Microsecond

// rungsBeforeWait lists the rungs below the one that waits: those that a waiter has tried in vain.
func (e *Engine) rungsBeforeWait() []Rung {
	for i, r := range e.config.Ladder {
		if r.Kind == RungWait || r.Kind == RungError {
			return e.config.Ladder[:i]
		}
	}
	return e.config.Ladder
}

// retryElsewhere tries the rungs once more that get memory from other pools. The waiter is off the queue meanwhile and keeps its
// place if it finds none.
func (e *Engine) retryElsewhere(w *waiter) (Block, bool) {
	at := slices.Index(e.waiters.queue, w)
	if e.life.closed || at < 0 {
		return Block{}, false
	}
	e.dequeue(w)
	ordered := e.core.stream != nil
	if ordered { // whatever the ladder says, and once: the driver is asked
		if b, _, err := e.tryRung(w.request, Rung{Kind: RungPoll}, ErrLimit); err == nil {
			return b, true
		}
	}
	for _, rung := range e.rungsBeforeWait() {
		if ordered && rung.Kind == RungPoll {
			continue
		}
		if b, _, err := e.tryRung(w.request, rung, ErrLimit); err == nil {
			return b, true
		}
	}
	e.enqueue(w, min(at, len(e.waiters.queue)))
	return Block{}, false
}
