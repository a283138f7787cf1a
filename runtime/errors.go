package poolrt

import (
	"errors"
	"fmt"
	"strings"
)

// The errors of a pool. They arrive wrapped in a [PoolError]; test for them with errors.Is.
var (
	// ErrLimit: the request would fit the pool, but not now: the limit of the pool or of its budget is reached.
	ErrLimit = errors.New("limit reached")
	// ErrOutOfMemory: the limit would allow another chunk, but the allocator could not supply one.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrTooLarge: no state of the pool could serve the request.
	ErrTooLarge = errors.New("request too large for the pool")
	// ErrBadSize: a size or count that is zero, negative, or beyond what an address can express; or an attempt to raise a limit.
	ErrBadSize = errors.New("bad size")
	// ErrBadAlignment: an alignment that is not a power of two, or is above the chunk size.
	ErrBadAlignment = errors.New("bad alignment")
	// ErrInvalidFree is matched by ErrForeign and ErrDoubleFree.
	ErrInvalidFree = errors.New("invalid free")
	// ErrForeign: what was freed is not a block of this pool, as it was handed out.
	ErrForeign error = &kindOf{"not a block of this pool", ErrInvalidFree}
	// ErrDoubleFree: the block is already free.
	ErrDoubleFree error = &kindOf{"block is free already", ErrInvalidFree}
	// ErrClosed: the pool is closed.
	ErrClosed = errors.New("pool is closed")
	// ErrLive: blocks are in use where the operation needs them freed.
	ErrLive = errors.New("blocks are in use")
	// ErrCorrupt: someone wrote to memory that is not theirs. Found by programs built with the tag pooldebug.
	ErrCorrupt = errors.New("memory was written to that is not in use")
	// ErrOwner: two goroutines are using a pool without a lock at once. Found by programs built with the tag pooldebug.
	ErrOwner = errors.New("another goroutine is using the pool")
	// ErrBadItem: the item type holds pointers, which the garbage collector would not see in a pool's memory.
	ErrBadItem = errors.New("item type holds pointers")
	// ErrNotReturned: the allocator did not take memory back. The pool still has it.
	ErrNotReturned = errors.New("allocator did not take memory back")
	// ErrNoFunc: the function given to a With method is nil.
	ErrNoFunc = errors.New("function is nil")
	// ErrBadFile: the file was not exported for this pool by the pool of another process.
	ErrBadFile = errors.New("not the file of an exported pool")
	// ErrUnsupported: this platform, device or build cannot do it.
	ErrUnsupported = errors.New("not supported")
	// ErrNoDriver: the allocator needs a CUDA driver, and there is none.
	ErrNoDriver = errors.New("no CUDA driver")
)

// kindOf is an error value that also matches a more general one.
type kindOf struct {
	text    string
	general error
}

func (k *kindOf) Error() string { return k.text }
func (k *kindOf) Unwrap() error { return k.general }

// PoolError says which pool failed at what, with the figures that explain it, as they were when it failed. Sizes are in bytes, or
// in numbers for a pool of numbered resources.
type PoolError struct {
	Pool        string // package and name of the pool, or the name given to WithName
	Op          string // what was tried: "alloc", "free", "close", ...
	Err         error  // one of the errors of this package
	Cause       error  // the error beneath it, of the system or the context, or nil
	Detail      string // more about this case; may be empty
	Request     int64  // bytes requested; 0 if the operation requests none
	Live        int64  // bytes in use
	Reserved    int64  // bytes the pool holds
	Limit       int64  // the limit in force, NoLimit if there is none
	LargestFree int64  // largest request that would succeed without growing

	// The rest is known only for a failed allocation; Explain puts it into words.
	Account  *Account  // where the memory is
	Attempts []Attempt // the rungs that were tried, in order
	Sites    []Leak    // the calls that hold the most, if the program knows (tag pooldebug, or pooltrace from a sample)
	Remedies []string  // what would have made the request fit, each a part of a sentence

	Unit string // what sizes count: "numbers", or "bytes" if empty; "none" where the error is of no one pool, and has no figures
}

// Error returns pool, operation, reason and, where a pool has any, figures: one line, or several in programs built with the tag pooldebug.
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
	if strings.Contains(e.Detail, "\n") { // a stack trace, say: what follows is not part of its last line
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

// Unwrap returns the reason and the error beneath it, for errors.Is and errors.As.
func (e *PoolError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}
