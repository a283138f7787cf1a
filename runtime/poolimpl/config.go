package poolimpl

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Config describes a pool to its engine. Generated code declares one for each pool and never changes it. Sizes are in bytes or, for a pool of numbered
// resources, in numbers.
type Config struct {
	Name          string   // package and pool, "scene.Vertex"
	Allocator     string   // as the pool file names it; likewise the next four
	Allocators    []string // what WithAllocator may choose, Allocator among them; nil: Allocator alone
	Suballocator  string
	Fit           string // "" if the suballocator has none
	Ordering      string
	Source        Source // supplies chunks; or
	Binder        Binder // finds the Source when the pool is first used. Without either, Track supplies the chunks
	Item          func() reflect.Type
	ItemSize      int64
	Core          any     // parameters of the suballocator, for [ParamCore]; nil if it has none
	Locked        bool    // any goroutine may call; otherwise one at a time
	ChunkSize     int64   // usual size of a chunk, or of a page; WithChunkSize may make it larger
	MaxChunk      int64   // largest chunk that the suballocator can manage; 0: any
	Granularity   int64   // sizes of chunks are multiples of it
	Alignment     int64   // least alignment of chunks
	Limit         int64   // of reserved bytes when the pool begins; NoLimit: none
	MaxLimit      int64   // largest limit that may be set; below Limit: it is Limit
	SoftLimit     int64   // 0: none
	Prime         int64   // reserved when the pool is opened; WithPrime may change it
	Budget        *Budget // nil: none. WithBudget may change it; likewise the next two
	Guarantee     int64   // bytes of the budget that the pool can always have
	Priority      int     // the priority, less UsualPriority
	Reclaim       Ways    // what other pools of the budget may have this one do; 0: ReclaimTrim
	Double        bool    // each chunk is twice as large as the one before
	Oversize      bool    // a request above ChunkSize gets a chunk of its own
	SingleChunk   bool    // the pool never has more than one chunk
	OneRange      bool    // all blocks lie in one range of addresses or, where there is none, in one chunk; not with SingleChunk
	Direct        bool    // each chunk is one block: there is no suballocator
	Unmetered     bool    // the core counts live blocks only, not the peak or the allocations
	Uncounted     bool    // live blocks do not prevent closing: no call frees a single block
	Magazines     bool    // a search of all free blocks stops the program for a moment, so the engine first waits for memory that others are obtaining
	Imported      bool    // the blocks lie in the memory of another process: see Import
	Zeroes        bool    // blocks are zero when the memory is new, or always
	ZeroAlways    bool    // blocks are cleared each time they are handed out; the fast path clears its blocks itself
	ZeroDevice    bool    // likewise, but the device clears; the pool has no fast path
	ZeroChunks    bool    // blocks must be zero when the memory is new, and the source's memory is not
	Ladder        []Rung
	WaitTimeout   time.Duration
	Trim          *TrimPolicy // nil: keep all chunks; WithTrim may change it
	Order         Order       // nil: no free waits for a stream
	AcrossStreams AcrossStreams
	Sleep         *SleepPolicy // nil: the pool does not sleep
	Registered    bool         // libraries may know the chunks: Attach
	Private       uint64       // blocks of memory private to a graph lie at multiples of this; 0: there are none
	Spacing       uint64       // factor by which blocks lie apart with the tag pooldebug: [Spacing], or 1 where addresses are fixed; 0: blocks are not watched
	Sampling      Sampler      // a *Sampling; nil: blocks are not sampled
	Rounding      uint64       // lengths are rounded up to at least a multiple of this; 0: all blocks have the same length
}

// AcrossStreams says when a stream is given memory that another one freed and has not passed: the driver then makes it wait for the other one. When the pool
// cannot grow, that happens in any case.
type AcrossStreams uint8

// The values of the key across_streams.
const (
	AcrossLimit  AcrossStreams = iota // only when the pool cannot grow
	AcrossPeak                        // also before the pool would hold more than ever before
	AcrossGrowth                      // before the pool grows
)

// allocators lists what WithAllocator may choose.
func (c *Config) allocators() []string {
	if c.Allocators == nil {
		return []string{c.Allocator}
	}
	return c.Allocators
}

// numbers reports whether the pool hands out numbers, which Track supplies.
func (c *Config) numbers() bool { return c.Source == nil && c.Binder == nil }

// maxLimit returns the largest limit that may be set.
func (c *Config) maxLimit() int64 { return max(c.Limit, c.MaxLimit) }

// rounding returns a number of bytes that all lengths are rounded up to a multiple of.
func (c *Config) rounding() uint64 { return max(c.Rounding, 1) }

// noChunks says why the pool does not divide chunks into blocks, "" if it does.
func (c *Config) noChunks() string {
	switch {
	case c.Imported:
		return "the memory belongs to another process"
	case c.numbers():
		return "the pool hands out numbers, which Track supplies"
	case c.Ordering == orderingDriver:
		return "ordering driver: each block is an allocation of the driver, and what the driver keeps is set with driver_pool"
	case c.Direct:
		return "suballocator none: each block is a chunk of its own"
	}
	return ""
}

func (c *Config) hasRung(kind RungKind) bool {
	return slices.ContainsFunc(c.Ladder, func(r Rung) bool { return r.Kind() == kind })
}

// rungsBeforeWait lists the rungs before those that wait: a waiter has already tried them.
func (c *Config) rungsBeforeWait() []Rung {
	for i, r := range c.Ladder {
		if r.Kind() == RungDrain || r.Kind() == RungWait || r.Kind() == RungError {
			return c.Ladder[:i]
		}
	}
	return c.Ladder
}

// hasRungDriver reports whether the rung driver comes before any wait.
func (c *Config) hasRungDriver() bool {
	return slices.ContainsFunc(c.rungsBeforeWait(), func(r Rung) bool { return r.Kind() == RungDriver })
}

// called names an address in an error.
func (c *Config) called(addr uint64) string {
	switch {
	case c.numbers():
		return fmt.Sprintf("number %d", addr)
	case addr == 0:
		return "a nil pointer"
	}
	return fmt.Sprintf("address %#x", addr)
}

// otherLength says that a free named another length than the live block at the address has; "" if the piece is no live block.
func (c *Config) otherLength(p poolrt.Piece, bytes uint64) string {
	if p.State != poolrt.PieceLive || p.Asked == bytes || c.Uncounted {
		return ""
	}
	length := "another length"
	if p.Asked < p.Size { // else it may not be known
		length = fmt.Sprint(p.Asked)
	}
	return fmt.Sprintf(", freed with %d %s: the block that begins there was handed out with %s, and takes up %d"+wholeSlice, int64(bytes), c.unit(), length, p.Size)
}

// wholeSlice ends the error of a free with another length: a slice that was cut still leads to the block.
const wholeSlice = "; of a slice b, free b[:cap(b)]"

// unit names what sizes count.
func (c *Config) unit() string {
	if c.numbers() {
		return "numbers"
	}
	return "bytes"
}

// checkItem refuses types that contain a pointer: the garbage collector does not look into the memory of pools.
func checkItem(t reflect.Type) error {
	if path := pointerIn(t, t.String()); path != "" {
		return &badItem{path}
	}
	return nil
}

// badItem matches [poolrt.ErrBadItem].
type badItem struct{ path string }

func (b *badItem) Error() string { return "item " + b.path + " is a pointer, or holds one" }
func (b *badItem) Unwrap() error { return poolrt.ErrBadItem }

// pointerIn returns the path of the first pointer inside a type, or "".
func pointerIn(t reflect.Type, path string) string {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return ""
		}
		return pointerIn(t.Elem(), path+"[0]")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if p := pointerIn(f.Type, path+"."+f.Name); p != "" {
				return p
			}
		}
		return ""
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return ""
	default:
		return path + " (" + t.Kind().String() + ")"
	}
}

// Versions of generated code that this package serves. Each generated package compares its own version with these at compile time. If its version is out of
// range, the constant named in the compiler's message says what to do.
const (
	// OldestOutput is raised when this package stops serving older output. Such output has to be generated again.
	OldestOutput = 5
	// NewestOutput is raised when output needs something that older versions of this package lack. Such versions have to be updated.
	NewestOutput = 6
)

// MaxBytes is more than any block has: an int can express it, and no address space has room for it.
const MaxBytes = min(math.MaxInt, 1<<48)

// Build tags as constants: the compiler removes code that depends on a tag which is not set.
const (
	// Debug is [poolrt.Debug].
	Debug = poolrt.Debug
	// Observed reports whether the engine sees each block that is handed out or freed: in programs built with the tag pooldebug or pooltrace.
	Observed = poolrt.Debug || poolrt.Traced
)
