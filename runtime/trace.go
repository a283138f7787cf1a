package poolrt

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/build"
	"github.com/poolgen/poolgen/runtime/internal/registry"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// The tags that the program was built with. The compiler removes code that depends on a constant that is false, before it decides what to inline.
const (
	// Debug reports whether the program was built with the tag pooldebug. Pools then detect writes outside of blocks, uses after a free and leaks: see
	// docs/debugging.md.
	Debug = build.Debug
	// Traced reports whether the program was built with the tag pooltrace. Pools then keep their last events, sample who allocates, and can record a trace: see
	// docs/tracing.md.
	Traced = trace.On
)

// Record writes each allocation and each free of all pools to w, until stop is called. The trace is CSV, compressed with gzip, for the commands poolgen replay and
// poolgen tune. Blocks that are live already are left out. Blocks that Release of a bump pool frees stay live in the trace until Reset, or until their place is
// allocated again.
//
// While a trace is recorded, an allocation or a free takes about half a microsecond longer, and waits for w when the buffer is full. If w fails, the trace ends there,
// the pools go on, and stop returns the error. stop does not close w. A second call of stop does nothing.
//
// Record fails with [ErrUnsupported] without the tag pooltrace, and while another trace is recorded. stop returns an error if [RecordPool] has named a pool that was
// never used; the trace is complete all the same. Record and stop are safe for concurrent use.
func Record(w io.Writer, options ...RecordOption) (stop func() error, err error) {
	var what trace.Recording
	for _, o := range options {
		o(&what)
	}
	stop, err = trace.Start(w, what, poolNames)
	return stop, unsupported("record", err)
}

// SetFlightRecorder sets how many of its last events each pool keeps for snapshots: 4096 unless set, at most 2^24, rounded up to a power of two; 0 keeps none. Each
// event takes 48 bytes. A pool that keeps another number of events loses them when its next event occurs.
//
// It fails with [ErrBadSize] for other numbers, and with [ErrUnsupported] without the tag pooltrace. Safe for concurrent use.
func SetFlightRecorder(events int) error {
	return setNumber("set flight recorder", events, trace.MostEvents, "the number of events is from", trace.SetFlightRecorder)
}

// SetSampling sets how many allocations are sampled: one in oneIn, which is 128 unless set, at most 2^30, and rounded up to a power of two. 1 samples all, 0 none.
// Unless oneIn is 0, all allocations of 1 MiB or more are sampled. A sample is the call stack of an allocation, and costs about a microsecond.
//
// It fails with [ErrBadSize] for other numbers, and with [ErrUnsupported] without the tag pooltrace. Safe for concurrent use.
func SetSampling(oneIn int) error {
	return setNumber("set sampling", oneIn, trace.MostSampling, "one in", trace.SetSampling)
}

// WriteAllocProfile writes what pools have allocated so far, and what of it is live, as a profile for go tool pprof: by call stack, with the label pool. The figures
// are estimated from a sample.
//
// The profile has the pools in use whose pool file says profile: true. They sample as Go samples its heap, and the sample types are those of its profile,
// alloc_objects, alloc_space, inuse_objects and inuse_space, so pprof merges the two. In programs built with the tag pooltrace the profile has all pools. They
// sample as [SetSampling] says, and the sample types are alloc_blocks, alloc_bytes, live_blocks and live_bytes.
//
// It fails with [ErrUnsupported] without the tag if no pool with the key has been used, and with the error of w. Safe for concurrent use.
func WriteAllocProfile(w io.Writer) error {
	form := trace.Heap
	switch {
	case Traced:
		form = trace.Traced
	case !trace.Profiles.Load():
		return errAllPools("write profile", ErrUnsupported, "no pool with profile: true has been used: set the key in the pool file, or "+trace.ErrUntraced.Error())
	}
	var all []trace.Calls
	for _, p := range registry.All[interface{ Calls() []trace.Calls }]() {
		all = append(all, p.Calls()...)
	}
	return trace.WriteProfile(w, form, all)
}

// RecordOption limits what [Record] records.
type RecordOption func(*trace.Recording)

// RecordPool records the pool that [Pools] lists under the name. Several such options record several pools; without one, all pools are recorded. The name may be that
// of a pool that is not used yet. If no pool has the name at the end, stop returns an error.
func RecordPool(name string) RecordOption {
	return func(r *trace.Recording) { r.Pools = append(r.Pools, name) }
}

// RecordOneIn records one block in n, from its allocation to its free, for a load that is too heavy to record every block. An n below 1 is 1. Multiply by n what a
// replay of such a trace reserves.
func RecordOneIn(n int) RecordOption {
	return func(r *trace.Recording) { r.OneIn = uint64(max(n, 1)) }
}

// poolNames returns the names of all pools of the program.
func poolNames() (names []string) {
	for _, p := range allPools() {
		names = append(names, p.Name())
	}
	return names
}

// setNumber calls set with n, which is from 0 to most. Without the tag pooltrace set refuses all numbers.
func setNumber(op string, n, most int, what string, set func(int) error) error {
	if Traced && (n < 0 || n > most) {
		err := errAllPools(op, ErrBadSize, fmt.Sprintf("%s 0 to %d", what, most))
		err.Request = int64(n)
		return err
	}
	return unsupported(op, set(n))
}

// unsupported returns an error that matches ErrUnsupported for what the program cannot do, at the moment or at all, and other errors as they are.
func unsupported(op string, err error) error {
	if errors.Is(err, trace.ErrUntraced) || errors.Is(err, trace.ErrRecording) {
		return errAllPools(op, ErrUnsupported, err.Error())
	}
	return err
}

// errAllPools is the failure of a call about all pools.
func errAllPools(op string, err error, detail string) *PoolError {
	return &PoolError{Pool: "all pools", Op: op, Err: err, Detail: detail, Limit: NoLimit, Unit: "none"}
}

// FlightEvent is one of the last events of a pool, which the flight recorder keeps for snapshots: see [SetFlightRecorder].
type FlightEvent struct {
	Number uint64     `json:"number"`           // number among all events of the pool, from 1 on
	Time   time.Time  `json:"time"`             // may be the time of an event up to 15 earlier: the clock is read once for 16 events
	Kind   FlightKind `json:"kind"`             // what has happened
	Addr   uint64     `json:"addr,omitempty"`   // of the block, for an alloc or a free
	Bytes  uint64     `json:"bytes,omitempty"`  // requested, freed, obtained or returned
	Stream uint64     `json:"stream,omitempty"` // number of the stream; 0 without one
	Site   uint32     `json:"site,omitempty"`   // for an alloc that was sampled, the calls are Snapshot.Sites[Site-1]; otherwise 0
}

// FlightKind is the kind of a [FlightEvent].
type FlightKind uint8

// The kinds of events that the flight recorder keeps.
const (
	FlightAlloc FlightKind = iota // a block was allocated
	FlightFree                    // a free was called, which the pool may have refused
	FlightGrow                    // the pool has obtained memory
	FlightTrim                    // the pool has returned memory
	FlightFail                    // an allocation has failed, or chunks could not be returned
	FlightReset                   // all blocks were freed at once
	FlightOther                   // another kind of event: OnEvent has the details
)

var flightNames = [...]string{"alloc", "free", "grow", "trim", "fail", "reset", "other"}

// String returns the name of the kind in lower case, such as "alloc".
func (k FlightKind) String() string {
	if int(k) >= len(flightNames) {
		return "unknown"
	}
	return flightNames[k]
}

// MarshalText returns the text of String.
func (k FlightKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText has written. Other text is FlightOther.
func (k *FlightKind) UnmarshalText(text []byte) error {
	*k = FlightOther
	for i, name := range flightNames {
		if name == string(text) {
			*k = FlightKind(i)
		}
	}
	return nil
}
