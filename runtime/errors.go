package poolrt

import (
	"errors"
	"fmt"
	"strings"
)

// The errors of pools. Calls return them wrapped in a [PoolError]: test for them with errors.Is.
var (
	// ErrLimit means that the limit of the pool, or of its budget, is reached. The same request may succeed after other blocks are freed.
	ErrLimit = errors.New("limit reached")
	// ErrOutOfMemory means that the limits allow another chunk, but the allocator has no memory for the chunk.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrTooLarge means that the pool can never serve the request, whatever is freed.
	ErrTooLarge = errors.New("request too large for the pool")
	// ErrBadSize means that a size or a count is zero, negative, or beyond what an address can express, or that a limit is negative or
	// would be raised beyond what the pool file allows.
	ErrBadSize = errors.New("bad size")
	// ErrBadAlignment means that an alignment is not a power of two, or is above the chunk size.
	ErrBadAlignment = errors.New("bad alignment")
	// ErrInvalidFree is matched by [ErrForeign] and [ErrDoubleFree]: the call has changed nothing.
	ErrInvalidFree = errors.New("invalid free")
	// ErrForeign means that the argument is not of this pool: the address of no block, a part of a block, or a mark that is no longer valid.
	ErrForeign error = &kindOf{"not a block of this pool", ErrInvalidFree}
	// ErrDoubleFree means that the block was freed before.
	ErrDoubleFree error = &kindOf{"block is free already", ErrInvalidFree}
	// ErrClosed means that the pool is closed.
	ErrClosed = errors.New("pool is closed")
	// ErrAsleep means that the pool is asleep, or about to be: its device memory went back until Wake.
	ErrAsleep = errors.New("pool is asleep")
	// ErrLive means that the call needs a pool, a chunk or a range of numbers without live blocks, and there are some; or a pool that has not been
	// used, as options and an import do.
	ErrLive = errors.New("in use")
	// ErrCorrupt means that memory outside of a block, or of a free block, was written to. Only programs built with the tag pooldebug detect that, and others beside
	// guarded blocks.
	ErrCorrupt = errors.New("memory was written to that is not in use")
	// ErrFault means that a guarded block was used after its free, or that an address beyond one of its ends was used. See [Fault].
	ErrFault = errors.New("memory was used that is not in use")
	// ErrOwner means that two goroutines are using a pool with concurrency none at once. Only programs built with the tag pooldebug detect that.
	ErrOwner = errors.New("another goroutine is using the pool")
	// ErrBadItem means that the item type holds pointers. The garbage collector does not look for pointers in the memory of pools.
	ErrBadItem = errors.New("item type holds pointers")
	// ErrNotReturned means that the allocator has refused to take memory back. The pool still has the memory.
	ErrNotReturned = errors.New("allocator did not take memory back")
	// ErrNoFunc means that the function given to a With method is nil. No block was allocated.
	ErrNoFunc = errors.New("function is nil")
	// ErrBadFile means that a file was not exported for this pool by the pool of another process, or is not the ledger of a budget with this limit.
	ErrBadFile = errors.New("not the file of this pool or budget")
	// ErrUnsupported means that the platform, the device, the pool or the build cannot do what was requested.
	ErrUnsupported = errors.New("not supported")
	// ErrNoDriver means that the allocator needs a CUDA driver, and there is none.
	ErrNoDriver = errors.New("no CUDA driver")
)

// kindOf is an error value that also matches a more general one.
type kindOf struct {
	text    string
	general error
}

func (k *kindOf) Error() string { return k.text }
func (k *kindOf) Unwrap() error { return k.general }

// PoolError is the failure of a call of a pool, with the figures of the pool at that moment. Sizes are in bytes, or in numbers for a pool of numbered resources.
//
// Find one with errors.As. A PoolError is not changed after it was returned.
type PoolError struct {
	Pool        string // name of the pool, as in PoolInfo
	Op          string // the operation that failed: "alloc", "free", "close" and others
	Err         error  // one of the errors of this package
	Cause       error  // the error of the system, the driver or the context that has led to Err, or nil
	Detail      string // more about this failure; may be empty
	Request     int64  // bytes requested; 0 if the operation requests none
	Live        int64  // bytes of live blocks; 0 if the pool is closed
	Reserved    int64  // bytes the pool holds
	Limit       int64  // the limit in force, NoLimit if there is none
	LargestFree int64  // largest request that would succeed without growth

	// These fields are set only if an allocation has failed after the ladder on_exhausted was tried; or, but
	// for Attempts and Sites, if the limits leave too little for Wake, or the allocator has too little for
	// Wake, Prime or WithPrime. Explain describes them in words. A pool that finds too few addresses when
	// it is opened has Remedies, too.
	Account  *Account  // where the memory is
	Attempts []Attempt // the rungs that were tried, in order
	Sites    []Leak    // the calls whose blocks hold the most memory, with the tag pooldebug and, from a sample, with pooltrace
	Remedies []string  // changes that would have made the request fit, each a part of a sentence

	// Unit is what sizes count: "bytes", which may be left empty, or "numbers". Unit "none" means that the error does not belong to one pool and has no figures.
	Unit string
}

// Error returns the pool, the operation, the reason and the figures. The text is one line; in programs built with the tag pooldebug, and about guarded blocks, it may have several.
func (e *PoolError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "poolgen: %s: %s", e.Pool, e.Op)
	if e.Request > 0 {
		fmt.Fprintf(&b, " of %s", e.sized(e.Request))
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if e.Unit == "none" {
		return b.String()
	}
	if strings.Contains(e.Detail, "\n") { // a stack trace: the figures are not part of its last line
		b.WriteString("\n ")
	}
	fmt.Fprintf(&b, " (live %d, reserved %d, limit %s, largest free range %d)",
		e.Live, e.Reserved, limitText(e.Limit), e.LargestFree)
	return b.String()
}

func limitText(n int64) string {
	if n == NoLimit {
		return "none"
	}
	return fmt.Sprint(n)
}

// Unwrap returns Err and, if there is one, Cause, for errors.Is and errors.As.
func (e *PoolError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}
