package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/internal/figure"
)

// BadCount is the failure of an allocation of n items that no pool could make.
func (e *Engine) BadCount(n int) error {
	return e.misuse(ErrBadSize, "%d items; a block has at least one, and its bytes fit an int", n)
}

// BadAlignment is the failure of an allocation with an alignment that no pool could keep.
func (e *Engine) BadAlignment(align int) error {
	return e.misuse(ErrBadAlignment, "%d is no power of two from 1 to the chunk size %d", align, e.config.ChunkSize)
}

// capturedDetail says why nothing is allocated or freed on a stream that is being captured.
const capturedDetail = "the stream is being captured: a graph uses its memory at each launch, so allocate without a stream and free when the graph is of no use any more"

// AllocCaptured is the failure of an allocation on a stream that is being captured.
func (e *Engine) AllocCaptured() error { return e.misuse(ErrUnsupported, "%s", capturedDetail) }

// FreeCaptured is the failure of a free on such a stream. The block is as it was.
func (e *Engine) FreeCaptured() error {
	e.lock()
	defer e.unlockAndNotify()
	err := e.newError("free", ErrUnsupported)
	err.Detail = capturedDetail
	return err
}

// NoFunc is the failure of a With that was given nothing to call. No block was taken.
func (e *Engine) NoFunc() error {
	e.lock()
	defer e.unlockAndNotify()
	return e.newError("with", ErrNoFunc)
}

// NotOwned is the failure of a Release of a Ref that owns no block. The engine is nil if it never owned one.
func (e *Engine) NotOwned() error {
	const detail = "the Ref owns no block: it was released or detached, or never had one"
	if e == nil {
		return &PoolError{Pool: "no pool", Op: "release", Err: ErrDoubleFree, Detail: detail, Unit: "none"}
	}
	e.lock()
	defer e.unlockAndNotify()
	err := e.newError("release", ErrDoubleFree)
	err.Detail = detail
	return err
}

func (e *Engine) misuse(err error, format string, args ...any) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return e.fail(request{}, ErrClosed)
	}
	p := e.fail(request{}, err)
	p.Detail = fmt.Sprintf(format, args...)
	return p
}

// fail counts a failed allocation and wraps its reason.
func (e *Engine) fail(r request, err error) *PoolError {
	e.figures.failures++
	if e.streams.err != nil && e.pending() > 0 && temporary(err) {
		err = because(err, e.streams.err) // why frees on streams do not come back
	}
	u := e.counted()
	p := e.errorWith(u, "alloc", err)
	p.Request = clampInt64(r.bytes)
	if r.tried != nil && !e.life.closed && e.life.badItem == nil {
		e.detail(p, r, u)
	}
	e.queueEvent(EventFailure, p.Request, p)
	return p
}

// detail adds to the error of a failed allocation all that explains it.
func (e *Engine) detail(p *PoolError, r request, u Usage) {
	p.Account = e.account(u)
	p.Attempts = *r.tried
	p.Sites = e.topSites()
	p.Remedies = e.remedies(r, p.Err, p.Account, p.LargestFree)
	if b := p.Account.Budget; p.Err == ErrLimit && e.budgetShort(r) > 0 {
		p.Detail = fmt.Sprintf("budget %q is full: its pools have reserved %d of its limit of %d", b.Name, b.Reserved, b.Limit)
	}
}

// newError wraps a reason with the figures of the moment.
func (e *Engine) newError(op string, err error) *PoolError {
	return e.errorWith(e.counted(), op, err)
}

// counted is usage as the pool's user counts.
func (e *Engine) counted() Usage {
	u := e.usage()
	if Debug && !e.life.closed && !e.config.Uncounted {
		e.observed.debug.account(&u)
	}
	return u
}

// errorWith is newError for who has the figures already, which take a pass over the chunks.
func (e *Engine) errorWith(u Usage, op string, err error) *PoolError {
	p := &PoolError{
		Pool: e.Name(), Op: op, Err: err,
		Live: int64(u.LiveBytes), Reserved: e.limits.reserved, Limit: e.limits.limit, LargestFree: int64(u.LargestFree),
		Unit: e.unit(),
	}
	if c, ok := err.(*causedBy); ok {
		p.Err, p.Cause = c.reason, c.cause
	}
	return p
}

// liveError refuses an operation because of live blocks.
func (e *Engine) liveError(op string) *PoolError {
	p := e.newError(op, ErrLive)
	p.Detail = figure.Are(int64(e.usage().Live), "block") + " live"
	if Debug {
		p.Detail += e.liveText()
	}
	return p
}

// causedBy carries one of the package's errors together with what lies beneath it, up to newError.
type causedBy struct{ reason, cause error }

func (c *causedBy) Error() string   { return c.reason.Error() + ": " + c.cause.Error() }
func (c *causedBy) Unwrap() []error { return []error{c.reason, c.cause} }

// reason is the error of the package in err.
func reason(err error) error {
	if c, ok := err.(*causedBy); ok {
		return c.reason
	}
	return err
}

// because adds a cause to an error on its way to newError.
func because(err, cause error) error {
	if c, ok := err.(*causedBy); ok {
		return &causedBy{c.reason, fmt.Errorf("%w; %w", c.cause, cause)}
	}
	return &causedBy{err, cause}
}

// sourceError is the reason for a chunk that did not come: the source's own, where it is one of ours.
func sourceError(err error) error {
	for _, known := range []error{ErrNoDriver, ErrUnsupported} {
		if errors.Is(err, known) {
			return &causedBy{known, err}
		}
	}
	return &causedBy{ErrOutOfMemory, err}
}

// unit is what sizes count.
func (e *Engine) unit() string {
	if e.numbers() {
		return "numbers"
	}
	return "bytes"
}

// mostSites is how many calls an error names.
const mostSites = 3

// topSites are the calls that hold the most, if the program knows.
func (e *Engine) topSites() []Leak {
	all := e.Leaks()
	return slices.Clip(all[:min(len(all), mostSites)])
}
