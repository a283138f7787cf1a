package runtime

import (
	"fmt"
	"time"
)

// progress is what a rung may change.
type progress struct {
	reserved int64
	pending  int
}

func (e *Engine) progress() progress { return progress{e.limits.reserved, e.pending()} }

// attempt tries a rung, and keeps in mind what came of it.
func (e *Engine) attempt(r request, rung Rung, err error) (Block, error) {
	begun, before := time.Now(), e.progress()
	b, refusal, failed := e.tryRung(r, rung, err)
	if failed != nil {
		*r.tried = append(*r.tried, Attempt{Rung: rung.Kind.String(), Took: time.Since(begun), Outcome: e.outcome(rung, before, refusal, failed)})
	}
	return b, failed
}

// outcome says why a rung was of no help. lent is what another pool answered.
func (e *Engine) outcome(rung Rung, before progress, refusal, failed error) string {
	now := e.progress()
	switch rung.Kind {
	case RungPoll:
		return polled(before.pending, before.pending-now.pending)
	case RungTrim:
		if n := before.reserved - now.reserved; n > 0 {
			return fmt.Sprintf("%d %s went back, which was not enough", n, e.unit())
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

// rungNames are the kinds of rungs as the pool file has them.
var rungNames = [...]string{RungPoll: "poll", RungTrim: "trim", RungWait: "wait", RungPool: "pool", RungError: "error", RungDriver: "driver"}

// String returns the name of the rung in a pool file: "poll", "wait", ...
func (k RungKind) String() string {
	if int(k) >= len(rungNames) {
		return "unknown"
	}
	return rungNames[k]
}
