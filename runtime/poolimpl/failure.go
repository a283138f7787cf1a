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

// BadCount is the failure of an allocation of n items that no pool could make.
func (e *Engine) BadCount(n int) error {
	return e.misuse(poolrt.ErrBadSize, "%d items; a block has at least one, and its bytes fit an int", n)
}

// BadAlignment is the failure of an allocation with an alignment that no pool could keep.
func (e *Engine) BadAlignment(align int) error {
	return e.misuse(poolrt.ErrBadAlignment, "%d is no power of two from 1 to the chunk size %d", align, e.config.ChunkSize)
}

// capturedDetail says why nothing is allocated or freed on a stream that is being captured.
const capturedDetail = "the stream is being captured: a graph uses its memory at each launch, so allocate without a stream and free when the graph is no longer used"

// AllocCaptured is the failure of an allocation on a stream that is being captured.
func (e *Engine) AllocCaptured() error { return e.misuse(poolrt.ErrUnsupported, "%s", capturedDetail) }

// FreeCaptured is the failure of a free on such a stream. The block is as it was.
func (e *Engine) FreeCaptured() error {
	e.lock()
	defer e.unlockAndNotify()
	return detailed(e.newError("free", poolrt.ErrUnsupported), capturedDetail)
}

// NoFunc is the failure of a With that was given nothing to call. No block was taken.
func (e *Engine) NoFunc() error {
	e.lock()
	defer e.unlockAndNotify()
	return e.newError("with", poolrt.ErrNoFunc)
}

// NotOwned is the failure of a Release of a Ref that owns no block. The engine is nil if it never owned one.
func (e *Engine) NotOwned() error {
	const detail = "the Ref owns no block: it was released or detached, or never had one"
	if e == nil {
		return &poolrt.PoolError{Pool: "no pool", Op: "release", Err: poolrt.ErrDoubleFree, Detail: detail, Unit: "none"}
	}
	e.lock()
	defer e.unlockAndNotify()
	return detailed(e.newError("release", poolrt.ErrDoubleFree), detail)
}

func (e *Engine) misuse(err error, format string, args ...any) error {
	e.lock()
	defer e.unlockAndNotify()
	if e.life.closed {
		return e.fail(request{}, poolrt.ErrClosed)
	}
	return detailed(e.fail(request{}, err), format, args...)
}

// mostSites is how many calls an error names.
const mostSites = 3

// fail counts a failed allocation and wraps its reason. If the ladder was tried, the error has all that explains it, at the cost of a pass over what is pending.
func (e *Engine) fail(r request, err error) *poolrt.PoolError {
	e.figures.failures++
	if e.streams.err != nil && e.streams.pending() > 0 && temporary(err) {
		err = because(err, e.streams.err) // why frees on streams do not come back
	}
	u := e.counted()
	p := e.errorWith(u, "alloc", err)
	p.Request = clampInt64(r.bytes)
	if r.tried != nil && !e.life.closed && e.life.badItem == nil {
		p.Account = newAccount(e.limits, u, e.streams.pendingFrees())
		p.Account.Budget = e.config.Budget.info()
		p.Attempts = *r.tried
		sites := e.Leaks()
		p.Sites = slices.Clip(sites[:min(len(sites), mostSites)])
		p.Remedies, p.Detail = e.remedies(r, p)
	}
	e.queueEvent(poolrt.EventFailure, p.Request, p)
	return p
}

// newAccount says where the memory is.
func newAccount(l limits, u Usage, pending []poolrt.PendingFrees) *poolrt.Account {
	a := &poolrt.Account{Chunks: l.chunks, Blocks: int64(u.Live), Rounding: int64(u.Occupied - u.LiveBytes), Cached: int64(u.Cached), Pending: pending}
	a.Free = l.reserved - int64(u.Occupied)
	for _, p := range pending {
		a.Free -= p.Bytes
	}
	a.Free = max(a.Free, 0) // a shared pool counts while others go on
	return a
}

// newError wraps a reason with the figures of the moment.
func (e *Engine) newError(op string, err error) *poolrt.PoolError {
	return e.errorWith(e.counted(), op, err)
}

// detailed adds what an error says about its case.
func detailed(p *poolrt.PoolError, format string, args ...any) *poolrt.PoolError {
	p.Detail = fmt.Sprintf(format, args...)
	return p
}

// errorWith is newError for a caller that has the figures already, which take a pass over the chunks.
func (e *Engine) errorWith(u Usage, op string, err error) *poolrt.PoolError {
	p := &poolrt.PoolError{
		Pool: e.name.get(), Op: op, Err: err,
		Live: int64(u.LiveBytes), Reserved: e.limits.reserved, Limit: e.limits.limit, LargestFree: int64(u.LargestFree),
		Unit: e.config.unit(),
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

// causedBy carries one of the package's errors with its cause, up to newError.
type causedBy struct{ reason, cause error }

func (c *causedBy) Error() string   { return c.reason.Error() + ": " + c.cause.Error() }
func (c *causedBy) Unwrap() []error { return []error{c.reason, c.cause} }

// reason returns the error of the package that err carries.
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

// sourceError is the reason for a chunk that the source did not supply: its own, if that is an error of the package.
func sourceError(err error) error {
	for _, known := range []error{poolrt.ErrNoDriver, poolrt.ErrUnsupported} {
		if errors.Is(err, known) {
			return &causedBy{known, err}
		}
	}
	return &causedBy{poolrt.ErrOutOfMemory, err}
}

// ending is why a context ended; it always matches the context's Err.
func ending(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return &causedBy{ctx.Err(), cause}
}

// Why there was no waiting.
var (
	errAlone    = errors.New("waiting cannot help: the pool is for one goroutine at a time, so nobody else could free a block")
	errHopeless = errors.New("waiting cannot help: no block is live that could be freed")
)

// errWaited says that nothing was freed for the request on the rung wait.
type errWaited struct{ d time.Duration }

func (w errWaited) Error() string { return "nothing was freed within " + w.d.String() }

func (w errWaited) Unwrap() error { return context.DeadlineExceeded }
