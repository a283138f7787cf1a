package runtime

import "io"

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
	return startRecording(w, options...)
}

// SetFlightRecorder sets how many of its last events each pool keeps, rounded up to a power of two, at most 2^24; 0 turns it off. Pools
// that keep another number lose what they have at their next event. Without the tag pooltrace it fails with [ErrUnsupported].
func SetFlightRecorder(events int) error { return setFlightRecorder(events) }

// SetSampling samples the call stack of one allocation in oneIn, rounded up to a power of two, and of each of 1 MiB or more; a sample
// costs about a microsecond. 1 samples all, 0 none. Without the tag pooltrace it fails with [ErrUnsupported].
func SetSampling(oneIn int) error { return setSampling(oneIn) }

// WriteAllocProfile writes what all pools have handed out so far, and how much of it is live, by call stack, as a profile for go tool
// pprof: alloc_blocks, alloc_bytes, live_blocks and live_bytes, labelled with the pool. The figures are estimated from a sample, see
// [SetSampling]. Without the tag pooltrace it fails with [ErrUnsupported]. Safe for concurrent use.
func WriteAllocProfile(w io.Writer) error { return writeAllocProfile(w) }
