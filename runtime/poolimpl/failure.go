package poolimpl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Misuse is a call that is refused before the core or the source is called.
type Misuse uint8

const (
	// BadAlignment is an allocation with an alignment that the pool cannot provide. Its arguments are the alignment and the largest possible one.
	BadAlignment Misuse = iota
	// AllocCaptured is an allocation on a stream that is being captured.
	AllocCaptured
	// FreeCaptured is a free on such a stream. The block stays live.
	FreeCaptured
	// AllocApart is an allocation on such a stream, and FreeApart a free, by a pool with capture: private that takes no part in the capture, or of a block from outside.
	AllocApart
	FreeApart
	// NoFunc is a With without a function to call. No block was allocated.
	NoFunc

	badCount // an allocation of a number of items that no block can have; its argument is the number
	notOwned // a Release of a Ref that owns no block
)

// capturedDetail says why no block is allocated or freed on a stream that is being captured.
const capturedDetail = "the stream is being captured: a graph uses its memory at each launch, so allocate without a stream and free when the graph is no longer used"

// apartDetail says why a pool takes no part in a capture.
const apartDetail = "the stream is being captured: name the pool in BeginCaptureWith, or allocate without a stream and free when the graph is no longer used"

// misuses has the operation, the reason and the detail of each misuse.
var misuses = [...]struct {
	op     string
	err    error
	detail string
}{
	BadAlignment:  {"alloc", poolrt.ErrBadAlignment, "%d is no power of two from 1 to the chunk size %d"},
	AllocCaptured: {"alloc", poolrt.ErrUnsupported, capturedDetail},
	FreeCaptured:  {"free", poolrt.ErrUnsupported, capturedDetail},
	AllocApart:    {"alloc", poolrt.ErrUnsupported, apartDetail},
	FreeApart:     {"free", poolrt.ErrUnsupported, "the stream is being captured, and the block is not of this capture"},
	NoFunc:        {"with", poolrt.ErrNoFunc, ""},
	badCount:      {"alloc", poolrt.ErrBadSize, "%d items; a block has at least one, and its bytes fit an int"},
	notOwned:      {"release", poolrt.ErrDoubleFree, "the Ref owns no block: it was released or detached, or never had one"},
}

// Refuse returns the error of a misuse. A refused allocation counts as a failure. The caller does not hold e.mu.
func (e *Engine) Refuse(m Misuse, args ...any) error {
	kind := misuses[m]
	if e == nil { // the Ref never had a pool
		return &poolrt.PoolError{Pool: "no pool", Op: kind.op, Err: kind.err, Detail: kind.detail, Unit: "none"}
	}
	return e.refuseCall(kind.op, kind.err, fmt.Sprintf(kind.detail, args...))
}

// RefuseFor is Refuse for a call of which the driver does not say whether it is that misuse.
func (e *Engine) RefuseFor(m Misuse, failed error) error {
	return e.refuseCall(misuses[m].op, failed, "")
}

func (e *Engine) refuseCall(op string, reason error, detail string) error {
	e.lock()
	defer e.unlockAndNotify()
	var p *poolrt.PoolError
	switch {
	case op != "alloc":
		p = e.newError(op, reason)
	case e.life.closed:
		return e.fail(request{}, poolrt.ErrClosed, Usage{})
	default:
		p = e.fail(request{}, reason, Usage{})
	}
	p.Detail = detail
	return p
}

// Stale refuses a Ref that no longer owns its block: the Ref was released or detached or, in programs built with the tag pooldebug, a copy of the Ref was
// released. The engine is nil if the Ref never had a pool. The caller does not hold e.mu.
func (e *Engine) Stale(owns bool, g Generation, place uint64) error {
	if e == nil || !owns {
		return e.Refuse(notOwned)
	}
	return e.observed.debug.stale(e, g, place)
}

// Join is errors.Join, except that one error is returned as it is: a call that fails for one reason returns a *poolrt.PoolError. It overwrites errs.
func Join(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// failure is the error of an allocation and what the error leads to: one allocation of Go memory, as the lock is held.
type failure struct {
	err      poolrt.PoolError
	account  poolrt.Account
	attempts []poolrt.Attempt
	first    [1]poolrt.Attempt // the memory of attempts, if that is enough
}

// add adds an attempt of the ladder.
func (f *failure) add(a poolrt.Attempt) {
	if f.attempts == nil {
		f.attempts = f.first[:0]
	}
	f.attempts = append(f.attempts, a)
}

// account describes what the reserved memory is used for.
func (e *Engine) account(a *poolrt.Account, r request, u Usage) {
	*a = poolrt.Account{
		Chunks: e.allocations(u), Blocks: int64(u.Live), Rounding: int64(u.Occupied - u.LiveBytes), Cached: int64(u.Cached),
		Pending: e.order.pendingFrees(), Budget: (*Budget)(e.budget.Budget()).Info(),
	}
	a.Free = e.limits.reserved - int64(u.Occupied)
	for _, p := range a.Pending {
		a.Free -= p.Bytes
	}
	a.Free = max(a.Free, 0) // other goroutines use a shared core while it counts
	if e.memory.Source == nil || e.lacksChunk(r) {
		return
	}
	a.Empty = bytesOf(e.memory.collect(lastFirst, e.memory.atMost(poolrt.NoLimit)))
	if page := e.memory.page(); page > 0 {
		a.Pages = (e.limits.held() - a.Empty) / page
		a.Pinned = max(a.Free-a.Empty, 0)
		a.Addresses = e.chunks.bytes()
	}
}

// drainHelps reports whether frees are pending, and the pool could hold a request beside its live blocks.
func (e *Engine) drainHelps(r request) bool {
	return e.streams.pending() > 0 && r.bytes <= uint64(e.limits.bound)-min(e.usage().Occupied, uint64(e.limits.bound))
}

// mostSites is how many call sites an error lists.
const mostSites = 3

// fail counts a failed allocation and wraps its reason. If the ladder was tried, the error explains the failure, except for its remedies. This costs a pass over
// the pending blocks. If e.lacks, u is what searchFull has counted.
func (e *Engine) fail(r request, err error, u Usage) *poolrt.PoolError {
	e.figures.failures++
	if e.streams.err != nil && e.streams.pending() > 0 && temporary(err) {
		err = because(err, e.streams.err) // why frees on streams are not reclaimed
	}
	if e.lacks(r) {
		u = e.foreign.direct.with(u, e.config)
	} else {
		u = e.counted()
	}
	f := r.failure
	if f == nil {
		f = new(failure)
	}
	p := &f.err
	*p = e.errorWith(u, "alloc", err)
	p.Request = clampInt64(r.bytes)
	if r.failure != nil && !e.life.closed && e.life.badItem == nil {
		e.account(&f.account, r, u)
		p.Account = &f.account
		p.Attempts = f.attempts
		sites := e.Leaks()
		p.Sites = slices.Clip(sites[:min(len(sites), mostSites)])
		e.noteFull(err)
	}
	e.figures.queueEvent(poolrt.EventFailure, p.Request, p)
	return p
}

// noteFull notes why a request has failed. A pool whose core cannot be searched without the lock is never full, nor is one with streams, which may have memory in
// flight.
func (e *Engine) noteFull(err error) {
	if reason(err) == poolrt.ErrLimit && e.core.searched != nil && e.core.stream == nil && !e.fullness.full.Load() {
		e.fullness.full.Store(true)
	}
}

// newError wraps a reason with the current figures.
func (e *Engine) newError(op string, err error) *poolrt.PoolError {
	p := e.errorWith(e.counted(), op, err)
	return &p
}

// detailed sets the detail of an error.
func detailed(p *poolrt.PoolError, format string, args ...any) *poolrt.PoolError {
	p.Detail = fmt.Sprintf(format, args...)
	return p
}

// errorWith is newError for a caller that has the figures already: counting takes a pass over the chunks.
func (e *Engine) errorWith(u Usage, op string, err error) poolrt.PoolError {
	p := poolrt.PoolError{
		Pool: e.name.get(), Op: op, Err: err,
		Live: int64(u.LiveBytes), Reserved: e.limits.reserved, Limit: e.limits.limit, LargestFree: int64(u.LargestFree),
		Unit: e.config.unit(),
	}
	if e.life.sleep.state == asleep {
		p.LargestFree = 0
	}
	if c, ok := err.(*causedBy); ok {
		p.Err, p.Cause = c.reason, c.cause
	}
	return p
}

// liveError refuses an operation because of live blocks.
func (e *Engine) liveError(op string) *poolrt.PoolError {
	p := e.newError(op, poolrt.ErrLive)
	p.Detail = figure.Are(int64(e.usage().Live), "block") + " live"
	if Debug {
		for _, l := range e.Leaks() {
			p.Detail += "\n  " + l.String()
		}
	}
	return p
}

// causedBy carries an error of package poolrt and its cause to newError.
type causedBy struct{ reason, cause error }

func (c *causedBy) Error() string   { return c.reason.Error() + ": " + c.cause.Error() }
func (c *causedBy) Unwrap() []error { return []error{c.reason, c.cause} }

// reason returns the error of package poolrt that err carries.
func reason(err error) error {
	if c, ok := err.(*causedBy); ok {
		return c.reason
	}
	return err
}

// temporary reports whether the failure may pass when others free blocks, return chunks or wake the pool.
func temporary(err error) bool {
	kind := reason(err)
	return kind == poolrt.ErrLimit || kind == poolrt.ErrOutOfMemory || kind == poolrt.ErrAsleep
}

// clampInt64 returns n, or NoLimit if n is larger.
func clampInt64(n uint64) int64 { return int64(min(n, uint64(poolrt.NoLimit))) }

// sentences is a list of parts of sentences.
type sentences []string

// add adds one. Callers check the condition first: arguments are garbage, also those that are not needed.
func (s *sentences) add(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

// because adds a cause to an error on its way to newError.
func because(err, cause error) error {
	if c, ok := err.(*causedBy); ok {
		return &causedBy{c.reason, fmt.Errorf("%w; %w", c.cause, cause)}
	}
	return &causedBy{err, cause}
}

// sourceError returns the reason for a chunk that the source did not supply: ErrNoDriver or ErrUnsupported if the source's error matches it, otherwise
// ErrOutOfMemory.
func sourceError(err error) error {
	for _, known := range []error{poolrt.ErrNoDriver, poolrt.ErrUnsupported} {
		if errors.Is(err, known) {
			return &causedBy{known, err}
		}
	}
	if c, ok := err.(*causedBy); ok && c.reason == poolrt.ErrOutOfMemory {
		return c
	}
	if !errors.Is(err, poolrt.ErrOutOfMemory) {
		err = unexplained{err}
	}
	return &causedBy{poolrt.ErrOutOfMemory, err}
}

// unexplained is the error of a source that does not say that there is no memory. After such an error the pool does not ask for less.
type unexplained struct{ error }

func (u unexplained) Unwrap() error { return u.error }

// ending returns why a context ended, as an error that matches the context's Err.
func ending(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return &causedBy{ctx.Err(), cause}
}

// Reasons not to wait.
var (
	errAlone    = errors.New("waiting cannot help: the pool is for one goroutine at a time, so nobody else could free a block")
	errDrained  = errors.New("the rung drain cannot help: no frees are pending on streams that would make room")
	errHopeless = errors.New("waiting cannot help: no block is live that could be freed")
)

// errWaited is the end of a wait on the rung wait.
type errWaited struct{ d time.Duration }

func (w errWaited) Error() string { return "nothing was freed within " + w.d.String() }

func (w errWaited) Unwrap() error { return context.DeadlineExceeded }
