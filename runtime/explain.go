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

// Account says where a pool's memory was when an allocation failed. Sizes are in bytes, or in numbers for a pool of numbered resources.
type Account struct {
	Chunks   int64 `json:"chunks"`   // that make up the pool's memory
	Blocks   int64 `json:"blocks"`   // live
	Rounding int64 `json:"rounding"` // bytes that live blocks take up beyond what was asked for
	Cached   int64 `json:"cached"`   // of freed blocks, kept for their size class or a processor
	Free     int64 `json:"free"`     // that no block takes up, cached ones included

	// Pending is what was freed on streams that have not come so far, by stream, the most bytes first.
	Pending []PendingFrees `json:"pending,omitempty"`

	Budget BudgetInfo `json:"budget,omitzero"`
}

// PendingFrees is what was freed on one stream that may still be working with it.
type PendingFrees struct {
	Stream uint64 `json:"stream"` // the number that the driver gave it
	Device int32  `json:"device"`
	Blocks int64  `json:"blocks"`
	Bytes  int64  `json:"bytes"`
}

// Attempt is a rung of the ladder on_exhausted that a failed allocation tried.
type Attempt struct {
	Rung    string        `json:"rung"`    // as the pool file has it, without the name of another pool
	Took    time.Duration `json:"took_ns"` // waiting for other callers included
	Outcome string        `json:"outcome"` // why it was of no help
}

// Explain tells the whole story of a failed allocation in one paragraph: what was asked, where the pool's memory is, what was tried, and
// what would have made it fit. For other failures it is Error.
func (e *PoolError) Explain() string {
	if e.Account == nil {
		return e.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Pool %s could not allocate %s: %v", e.Pool, e.sized(e.Request), e.Err)
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
	if len(e.Remedies) > 0 {
		b.WriteString(" It would have fitted with " + strings.Join(e.Remedies, "; or with ") + ".")
	}
	return b.String()
}

// sized writes a size with its unit.
func (e *PoolError) sized(n int64) string {
	return fmt.Sprintf("%d %s", n, cmp.Or(e.Unit, "bytes"))
}

// holdings says where the pool's memory is.
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
	if a.Cached > 0 {
		s += fmt.Sprintf(" (%d kept in caches)", a.Cached)
	}
	if b := a.Budget; b.Name != "" {
		s += fmt.Sprintf("; of its budget %q of %d, %d are reserved", b.Name, b.Limit, b.Reserved)
	}
	return s + "."
}

// mostPending is how many streams a paragraph names.
const mostPending = 3

// pending says what waits behind which stream.
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

// sites names the calls that hold the most.
func (e *PoolError) sites() string {
	var parts []string
	for _, l := range e.Sites {
		parts = append(parts, fmt.Sprintf("%s (%s)", l.caller(), l.estimate(fmt.Sprintf("%d in %s", l.Bytes, figure.Count(l.Count, "block")))))
	}
	return strings.Join(parts, ", ")
}

// explained is a PoolError in JSON. Absent numbers are 0, an absent limit is none.
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

// MarshalJSON writes everything that the error knows.
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

// Explain returns the paragraph of [PoolError.Explain] for a PoolError anywhere in err, else the text of err.
func Explain(err error) string {
	var p *PoolError
	if errors.As(err, &p) {
		return p.Explain()
	}
	return fmt.Sprint(err)
}
