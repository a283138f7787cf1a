package poolimpl

import (
	"fmt"
	"math"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Rung is one step of the ladder that an allocation climbs before it fails. A program links those that its pools have.
type Rung interface {
	// Kind says what the rung does.
	Kind() RungKind
	// try tries to serve a request that has failed with err. If the rung does not help, failed is why. refusal is the error of the pool of a PoolRung.
	try(e *Engine, r request, err error) (b foundBlock, refusal, failed error)
}

// RungKind names what a rung does.
type RungKind uint8

// The rungs of the ladder on_exhausted.
const (
	RungPoll RungKind = iota
	RungTrim
	RungDrain
	RungWait
	RungPool
	RungError
	RungDriver
)

// rungNames are the names of the rungs in a pool file.
var rungNames = [...]string{RungPoll: "poll", RungTrim: "trim", RungDrain: "drain", RungWait: "wait", RungPool: "pool", RungError: "error", RungDriver: "driver"}

// String returns the name of the rung in a pool file: "poll", "drain", ...
func (k RungKind) String() string {
	if int(k) >= len(rungNames) {
		return "unknown"
	}
	return rungNames[k]
}

// runLadder tries the rungs of the ladder in order after the pool could not grow, and records the outcome of each.
func (e *Engine) runLadder(r request, err error) (foundBlock, error) {
	wait := r.ctx != nil // wait even if the ladder has no rung wait
	if reason(err) == poolrt.ErrAsleep {
		if wait {
			return r.wait.wait(e, r, err, RungWait)
		}
		return foundBlock{}, err
	}
	r.far, r.waits = true, r.stream != nil
	for _, rung := range e.config.Ladder {
		if rung.Kind() == RungError || r.over() {
			break
		}
		if !temporary(err) && (reason(err) != poolrt.ErrTooLarge || !e.config.helpsTooLarge(rung)) {
			continue
		}
		begun, before := time.Now(), progress{e.limits.reserved, e.streams.pending()}
		b, refusal, failed := rung.try(e, r, err)
		if failed == nil {
			return b, nil
		}
		after := progress{e.limits.reserved, e.streams.pending()}
		r.failure.add(poolrt.Attempt{
			Rung: rung.Kind().String(), Took: time.Since(begun), Outcome: e.config.outcome(rung, before, after, refusal, failed),
		})
		err = failed
		wait = wait && rung.Kind() != RungWait
	}
	if wait && temporary(err) {
		return r.wait.wait(e, r, err, RungWait)
	}
	return foundBlock{}, err
}

// mostReclaims is how often a request has others make room. A hook that obtains as much as it frees ends there.
const mostReclaims = 100

// allocReclaiming is the attempt of a request that has found no room in its budget, err: empty chunks of the pool make room, then other pools do. It goes on as long
// as they give something, or as the budget changes, as others may be faster.
func (e *Engine) allocReclaiming(r request, err error) (b foundBlock, _ error) {
	room := int64(math.MinInt64) // in the budget, when it last had enough and the request failed all the same
	for range mostReclaims {
		trimmed, lacking := e.trimOwn(r)
		again := e.reclaim(anyWay, lacking) || trimmed
		if !again && lacking != nil && lacking() <= 0 {
			now := e.budget.Budget().Free()
			again = now != room
			room = now
		}
		if !again || r.over() {
			break
		}
		if b, err = e.allocOrGrow(r); err == nil || reason(err) != poolrt.ErrLimit {
			return b, err
		}
	}
	return foundBlock{}, err
}

// trimOwn returns empty chunks of this pool that make room for a request. lacking says how many bytes the budget lacks then; nil: it is not the budget that has
// no room.
func (e *Engine) trimOwn(r request) (trimmed bool, lacking func() int64) {
	need, _ := e.chunkSizes(r)
	if need > min(e.limits.bound, e.budget.Budget().Limit()) {
		return false, nil
	}
	trimmed = !e.lacksChunk(r) && e.makeRoom(need)
	moves := e.memory.movable()
	if e.budget == nil || need > e.limits.bound-e.limits.reserved+moves {
		return trimmed, nil
	}
	return trimmed, func() int64 { return e.budget.Lacking(need - moves) }
}

// movable returns the bytes of free pages, which growth returns by itself when there is room elsewhere.
func (m *memory) movable() int64 {
	if m.page() == 0 {
		return 0
	}
	m.layout.flush()
	return bytesOf(m.collect(lastFirst, m.atMost(poolrt.NoLimit)))
}

// makeRoom returns empty chunks that are as large as the limit and the budget lack for a chunk of need bytes. It reports whether it returned any. The chunks
// of other pools of the budget may make up for what this one lacks in the budget, but not in its own limit. A pool with pages makes room when it grows.
func (e *Engine) makeRoom(need int64) bool {
	if e.memory.page() > 0 || !(chunked{e}).anyEmpty() { // most requests that fail end here, and leave no garbage
		return false
	}
	short := need - e.limits.room(e.budget)
	due := e.memory.surplusOf(short, poolrt.NoLimit)
	if bytesOf(due) < need-(e.limits.bound-e.limits.reserved) {
		return false
	}
	released, _ := e.shed(due)
	return released > 0
}

// progress is what the rungs poll and trim may change.
type progress struct {
	reserved int64
	pending  int
}

// outcome says why a rung did not help. refusal is the error of the pool of the rung pool.
func (c *Config) outcome(rung Rung, before, after progress, refusal, failed error) string {
	switch rung.Kind() {
	case RungPoll:
		return polled(before.pending, before.pending-after.pending)
	case RungTrim:
		if n := before.reserved - after.reserved; n > 0 {
			return fmt.Sprintf("%d %s went back, which was not enough", n, c.unit())
		}
		if c.Ordering == orderingDriver && reason(failed) == poolrt.ErrOutOfMemory {
			return "the driver gave back what it kept unused, which was not enough"
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

// orderingDriver is Config.Ordering of a pool whose blocks the driver orders.
const orderingDriver = "driver"

func polled(pending, reclaimed int) string {
	switch {
	case pending == 0:
		return "no free was waiting for a stream"
	case reclaimed <= 0:
		return fmt.Sprintf("of %d frees that wait for streams none had completed", pending)
	}
	return fmt.Sprintf("of %d frees that waited for streams %d had completed, which was not enough", pending, reclaimed)
}

// helpsTooLarge reports whether a rung may help a request that no chunk can hold: it gets memory from elsewhere, or makes room for the rung driver.
func (c *Config) helpsTooLarge(rung Rung) bool {
	switch rung.Kind() {
	case RungPool, RungDriver:
		return true
	case RungPoll, RungTrim:
		return c.hasRungDriver()
	}
	return false
}
