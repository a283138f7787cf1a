package poolrt

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// The functions of the tag pooltrace, which exist without it as well.

// Record writes every allocation and free of all pools, until stop is called, as a trace for poolgen replay and poolgen tune: CSV,
// compressed with gzip. Blocks that are already live are left out. Only one trace can be recorded at a time. Meanwhile an alloc or free
// takes about half a microsecond more, and waits for w when its buffer is full. If w fails, the trace ends there, the pools go on, and
// stop returns the error. w is not closed. Blocks that Release of a bump pool takes back stay live in the trace until Reset, or until
// their place is handed out again.
//
// If [RecordPool] names a pool that has not been used by the end, the trace is complete, and stop returns an error that says so.
//
// Without the tag pooltrace it fails with [ErrUnsupported].
func Record(w io.Writer, options ...RecordOption) (stop func() error, err error) {
	var what trace.Recording
	for _, o := range options {
		o(&what)
	}
	stop, err = trace.Start(w, what, poolNames)
	return stop, unsupported("record", err)
}

// SetFlightRecorder sets how many of its last events each pool keeps, rounded up to a power of two, at most 2^24; 0 turns it off. Pools
// that keep another number lose what they have at their next event. Without the tag pooltrace it fails with [ErrUnsupported].
func SetFlightRecorder(events int) error {
	return setNumber("set flight recorder", events, trace.MostEvents, "the number of events is from", trace.SetFlightRecorder)
}

// SetSampling samples the call stack of one allocation in oneIn, rounded up to a power of two, and of each of 1 MiB or more; a sample
// costs about a microsecond. 1 samples all, 0 none. Without the tag pooltrace it fails with [ErrUnsupported].
func SetSampling(oneIn int) error {
	return setNumber("set sampling", oneIn, trace.MostSampling, "one in", trace.SetSampling)
}

// WriteAllocProfile writes what all pools have handed out so far, and how much of it is live, by call stack, as a profile for go tool
// pprof: alloc_blocks, alloc_bytes, live_blocks and live_bytes, labelled with the pool. The figures are estimated from a sample, see
// [SetSampling]. Without the tag pooltrace it fails with [ErrUnsupported]. Safe for concurrent use.
func WriteAllocProfile(w io.Writer) error {
	var all []trace.Calls
	for _, p := range registry.All[interface{ Calls() []trace.Calls }]() {
		all = append(all, p.Calls()...)
	}
	return unsupported("write profile", trace.WriteAllocProfile(w, all))
}

// RecordOption says what [Record] records.
type RecordOption func(*trace.Recording)

// RecordPool records one pool, by the name that [Pools] gives it. It may be given several times; without it, all pools are recorded.
// Pools are known from their first use on, so a name that no pool has is noticed only at the end: stop returns an error that says so.
func RecordPool(name string) RecordOption {
	return func(r *trace.Recording) { r.Pools = append(r.Pools, name) }
}

// RecordOneIn records one block in n, from its allocation to its free, for a load that is too heavy to be recorded whole. Multiply by n
// what a pool reserves for such a trace.
func RecordOneIn(n int) RecordOption {
	return func(r *trace.Recording) { r.OneIn = uint64(max(n, 1)) }
}

// poolNames lists the names of the pools in use.
func poolNames() (names []string) {
	for _, p := range allPools() {
		names = append(names, p.Name())
	}
	return names
}

// setNumber sets a number of all pools, which is from 0 to most. A program that has no such number refuses any.
func setNumber(op string, n, most int, what string, set func(int) error) error {
	if Traced && (n < 0 || n > most) {
		err := errAllPools(op, ErrBadSize, fmt.Sprintf("%s 0 to %d", what, most))
		err.Request = int64(n)
		return err
	}
	return unsupported(op, set(n))
}

// unsupported says of a call about all pools that the program cannot do it now, or at all.
func unsupported(op string, err error) error {
	if errors.Is(err, trace.ErrUntraced) || errors.Is(err, trace.ErrRecording) {
		return errAllPools(op, ErrUnsupported, err.Error())
	}
	return err
}

// errAllPools refuses a call that is about all pools.
func errAllPools(op string, err error, detail string) *PoolError {
	return &PoolError{Pool: "all pools", Op: op, Err: err, Detail: detail, Limit: NoLimit, Unit: "none"}
}

// FlightEvent is one of the last things that happened to a pool.
type FlightEvent struct {
	Number uint64     `json:"number"` // from 1, of the pool's events
	Time   time.Time  `json:"time"`   // of one of the 16 events before, at the most
	Kind   FlightKind `json:"kind"`
	Addr   uint64     `json:"addr,omitempty"`   // of an alloc or a free
	Bytes  uint64     `json:"bytes,omitempty"`  // asked for, obtained or given back
	Stream uint64     `json:"stream,omitempty"` // its number; 0: none
	Site   uint32     `json:"site,omitempty"`   // who called, from 1, of an alloc that was sampled: a number among the pool's sites
}

// FlightKind names what happened.
type FlightKind uint8

// The events that a pool's flight recorder keeps.
const (
	FlightAlloc FlightKind = iota
	FlightFree             // it was called for; an invalid free is followed by nothing
	FlightGrow
	FlightTrim
	FlightFail
	FlightReset
	FlightOther // another event that OnEvent tells in full
)

var flightNames = [...]string{"alloc", "free", "grow", "trim", "fail", "reset", "other"}

// String returns the name in lower case.
func (k FlightKind) String() string {
	if int(k) >= len(flightNames) {
		return "unknown"
	}
	return flightNames[k]
}

// MarshalText is String.
func (k FlightKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote. What it does not know is FlightOther.
func (k *FlightKind) UnmarshalText(text []byte) error {
	*k = FlightOther
	for i, name := range flightNames {
		if name == string(text) {
			*k = FlightKind(i)
		}
	}
	return nil
}
