package runtime

import "io"

// The functions of the tag pooltrace, which are there without it, too.

// Record writes what all pools hand out and get back from now on, until stop is called, as a trace for poolgen replay and poolgen tune: CSV, compressed by
// gzip. Blocks that are live already are left out. One trace is written at a time. An alloc or free takes about half a microsecond more meanwhile, and waits for w when its
// buffer is full; if w fails, the trace ends there, the pools go on, and stop returns the error. w is not closed. Blocks that Release of a bump pool takes back stay live in the trace until Reset, or until their place is handed out
// again.
//
// Where RecordPool names a pool that nobody has used by the end, the trace is whole and stop returns an error that says so: a pool is known from its first use on.
//
// Without the tag pooltrace it fails with [ErrUnsupported].
func Record(w io.Writer, options ...RecordOption) (stop func() error, err error) {
	return startRecording(w, options...)
}

// SetFlightRecorder sets how many of its last events each pool keeps, rounded up to a power of two, at most 2^24; 0: none. Pools that keep another
// number lose what they have with their next event. Without the tag pooltrace it fails with [ErrUnsupported].
func SetFlightRecorder(events int) error { return setFlightRecorder(events) }

// SetSampling has one of so many allocations, rounded up to a power of two, note its calls: about a microsecond for that one. Blocks of 1 MiB and more
// do so each time. 1 is all, 0 none. Without the tag pooltrace it fails with [ErrUnsupported].
func SetSampling(oneIn int) error { return setSampling(oneIn) }

// WriteAllocProfile writes what all pools have handed out so far, and what of it is live, by the calls that it was handed out to, as a profile that go tool
// pprof reads: alloc_blocks, alloc_bytes, live_blocks, live_bytes, with the pool of each as the label "pool". The figures are reckoned from a sample, see
// [SetSampling]. Without the tag pooltrace it fails with [ErrUnsupported]. Safe for concurrent use.
func WriteAllocProfile(w io.Writer) error { return writeAllocProfile(w) }
