package poolrt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Account describes where the memory of a pool was when an allocation failed, or another call for lack of
// memory. Sizes are in bytes, or in numbers for a pool of numbered resources.
type Account struct {
	Chunks   int64 `json:"chunks"`   // number of chunks
	Blocks   int64 `json:"blocks"`   // number of live blocks
	Rounding int64 `json:"rounding"` // bytes that live blocks occupy beyond what was requested
	Cached   int64 `json:"cached"`   // bytes of free blocks that are kept for their size class or by a processor
	Free     int64 `json:"free"`     // bytes that no live or pending block occupies, Cached included
	Empty    int64 `json:"empty"`    // bytes of Free in chunks or pages that hold nothing else, and can go back

	// These are 0 in a pool whose memory does not come by pages.
	Pages     int64 `json:"pages,omitempty"`     // number of pages on which a block lies, or a stream may be at work
	Pinned    int64 `json:"pinned,omitempty"`    // bytes of Free on those pages: they cannot go back
	Addresses int64 `json:"addresses,omitempty"` // bytes of addresses that the pool has reserved

	// Pending lists what was freed on streams that have not passed the frees yet: one element for each stream, the most bytes first.
	Pending []PendingFrees `json:"pending,omitempty"`

	Budget BudgetInfo `json:"budget,omitzero"` // zero without a budget
}

// PendingFrees are the blocks that were freed on one stream and that the stream may still be using.
type PendingFrees struct {
	Stream uint64 `json:"stream"` // number of the stream, as the driver gives it
	Device int32  `json:"device"` // device of the stream
	Blocks int64  `json:"blocks"` // number of blocks; may include some of which a part is in use again
	Bytes  int64  `json:"bytes"`  // size of all blocks, without what is in use again: each byte counts once
}

// Attempt is a rung of the ladder on_exhausted that a failed allocation tried.
type Attempt struct {
	Rung    string        `json:"rung"`    // as in the pool file, without the name of another pool
	Took    time.Duration `json:"took_ns"` // how long the attempt took, waits for other callers included
	Outcome string        `json:"outcome"` // why the attempt did not help
}

// Explain describes a failed allocation in one paragraph, or a Wake, Prime or opening that lacks memory: the
// request, where the memory of the pool was, which rungs of the ladder were tried, and what would have
// made the request fit. For other failures Explain returns what Error returns.
func (e *PoolError) Explain() string {
	if e.Account == nil {
		return e.Error() + e.remedies(".")
	}
	var b strings.Builder
	what, known := tasks[e.Op]
	if !known {
		what = "allocate"
	}
	fmt.Fprintf(&b, "Pool %s could not %s %s: %v", e.Pool, what, e.sized(e.Request), e.Err)
	if e.Cause != nil {
		fmt.Fprintf(&b, " (%v)", e.Cause)
	}
	b.WriteString(". " + e.holdings())
	if s := e.pending(); s != "" {
		b.WriteString(" " + s)
	}
	for _, t := range e.Attempts {
		fmt.Fprintf(&b, " Rung %s, after %v: %s.", t.Rung, t.Took.Round(time.Microsecond), t.Outcome)
	}
	if len(e.Sites) > 0 {
		b.WriteString(" Most is held by " + e.sites() + ".")
	}
	b.WriteString(e.remedies(""))
	return b.String()
}

// tasks are what a pool could not do but for memory, by operation. The others allocate.
var tasks = map[string]string{"wake": "wake, which takes", "open": "reserve", "prime": "reserve"}

// remedies says what would have helped, behind the end of the sentence before; "" if nothing is known.
func (e *PoolError) remedies(end string) string {
	if len(e.Remedies) == 0 {
		return ""
	}
	return end + " It would have fitted with " + strings.Join(e.Remedies, "; or with ") + "."
}

// sized returns a size with its unit.
func (e *PoolError) sized(n int64) string {
	return fmt.Sprintf("%d %s", n, cmp.Or(e.Unit, "bytes"))
}

// holdings describes where the memory of the pool is.
func (e *PoolError) holdings() string {
	a, of := e.Account, "no limit"
	if e.Limit != NoLimit {
		of = fmt.Sprintf("a limit of %d", e.Limit)
	}
	s := fmt.Sprintf("It holds %s of %s in %s: %d live in %s", e.sized(e.Reserved), of, figure.Count(a.Chunks, "chunk"), e.Live, figure.Count(a.Blocks, "block"))
	if a.Rounding > 0 {
		s += fmt.Sprintf(", %d lost to rounding", a.Rounding)
	}
	s += fmt.Sprintf(", %d free, the largest range %d", a.Free, e.LargestFree)
	if a.Pinned > 0 {
		s += fmt.Sprintf(", %d of them on %s in use", a.Pinned, figure.Count(a.Pages, "page"))
	}
	if a.Cached > 0 {
		s += fmt.Sprintf(" (%d kept in caches)", a.Cached)
	}
	if b := a.Budget; b.Name != "" {
		s += fmt.Sprintf("; of its budget %q of %d, %d are reserved", b.Name, b.Limit, b.Reserved)
		if b.Kept > 0 {
			s += fmt.Sprintf(", and %d kept for guarantees", b.Kept)
		}
	}
	return s + "."
}

// mostPending is the number of streams that the paragraph names.
const mostPending = 3

// pending describes the pending frees of each stream.
func (e *PoolError) pending() string {
	var parts []string
	for i, p := range e.Account.Pending {
		if i == mostPending {
			parts = append(parts, figure.Count(int64(len(e.Account.Pending)-i), "more stream"))
			break
		}
		parts = append(parts, fmt.Sprintf("%d in %s behind stream %d", p.Bytes, figure.Count(p.Blocks, "block"), p.Stream))
	}
	if parts == nil {
		return ""
	}
	return "Freed, but waiting for streams: " + strings.Join(parts, ", ") + "."
}

// sites names the calls whose blocks hold the most memory.
func (e *PoolError) sites() string {
	var parts []string
	for _, l := range e.Sites {
		parts = append(parts, fmt.Sprintf("%s (%s)", l.caller(), l.estimate(fmt.Sprintf("%d in %s", l.Bytes, figure.Count(l.Count, "block")))))
	}
	return strings.Join(parts, ", ")
}

// explained is the JSON form of a PoolError. An absent number is 0, and without a limit there is no key for it.
type explained struct {
	Pool     string    `json:"pool"`
	Op       string    `json:"op"`
	Error    string    `json:"error"`
	Cause    string    `json:"cause,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Unit     string    `json:"unit"`
	Request  int64     `json:"request,omitempty"`
	Live     int64     `json:"live"`
	Reserved int64     `json:"reserved"`
	Limit    int64     `json:"limit,omitempty"`
	Largest  int64     `json:"largest_free"`
	Account  *Account  `json:"account,omitempty"`
	Attempts []Attempt `json:"attempts,omitempty"`
	Sites    []site    `json:"sites,omitempty"`
	Remedies []string  `json:"remedies,omitempty"`
	Text     string    `json:"text"` // what Explain returns
}

type site struct {
	Blocks int64    `json:"blocks"`
	Bytes  int64    `json:"bytes"`
	Stack  []string `json:"stack"`
}

// MarshalJSON returns an object with all fields of the error and, as "text", the paragraph of Explain. Keys of zero fields may be absent, and so is "limit" in a
// pool without a limit.
func (e *PoolError) MarshalJSON() ([]byte, error) {
	x := explained{
		Pool: e.Pool, Op: e.Op, Error: e.Err.Error(), Detail: e.Detail, Unit: cmp.Or(e.Unit, "bytes"), Request: e.Request,
		Live: e.Live, Reserved: e.Reserved, Largest: e.LargestFree, Account: e.Account, Attempts: e.Attempts, Remedies: e.Remedies, Text: e.Explain(),
	}
	if e.Cause != nil {
		x.Cause = e.Cause.Error()
	}
	if e.Limit != NoLimit {
		x.Limit = e.Limit
	}
	for _, l := range e.Sites {
		s := site{Blocks: l.Count, Bytes: l.Bytes}
		for f := range trace.Frames(l.Stack) {
			s.Stack = append(s.Stack, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
		}
		x.Sites = append(x.Sites, s)
	}
	return json.Marshal(x)
}

// Explain returns [PoolError.Explain] of the first PoolError that errors.As finds in err. Without a PoolError it returns the text of err.
func Explain(err error) string {
	var p *PoolError
	if errors.As(err, &p) {
		return p.Explain()
	}
	return fmt.Sprint(err)
}
