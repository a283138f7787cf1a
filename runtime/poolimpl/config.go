package poolimpl

import (
	"fmt"
	"reflect"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Config is the description of a pool that its cold path needs. Generated code declares one per pool and never changes
// it. Sizes are in bytes, or in numbers for a pool of numbered resources.
type Config struct {
	Name         string // package and pool, "scene.Vertex"
	Allocator    string // as the pool file names it, and so the next three
	Suballocator string
	Fit          string // "" where it has no meaning
	Ordering     string
	Source       Source // of chunks; or
	Binder       Binder // what finds it. Neither: chunks are given by Track
	Item         func() reflect.Type
	ItemSize     int64
	Locked       bool  // any goroutine may call; else one at a time
	ChunkSize    int64 // bytes asked of the source at a time
	MaxChunk     int64 // largest chunk the suballocator can manage; 0: any
	Granularity  int64 // chunks are multiples of it
	Alignment    int64 // of chunks, at least
	Limit        int64 // of reserved bytes; NoLimit: none
	SoftLimit    int64 // 0: none
	Prime        int64 // reserved at creation
	Budget       *Budget
	Double       bool // each chunk is twice the last
	Oversize     bool // a request above ChunkSize gets a chunk of its own
	SingleChunk  bool // the pool never has more than one chunk
	Direct       bool // a chunk is as large as the request it is for: there is no suballocator
	Unmetered    bool // the core counts what is in use, and not the peak and the allocations
	Uncounted    bool // live blocks do not keep the pool from closing: there is no free for one block
	Magazines    bool // a search of all that is free stops the program for a moment: what others have begun is waited for first
	Imported     bool // the blocks lie in the memory of another process: see Import
	Zeroes       bool // blocks are zero, at first or always
	ZeroAlways   bool // blocks are cleared each time that they are handed out; what the fast path hands out, the pool clears itself
	ZeroDevice   bool // likewise, by the device; the pool has no fast path
	ZeroChunks   bool // the source's memory is not zero, and blocks must be at first
	Ladder       []Rung
	WaitTimeout  time.Duration
	Trim         *TrimPolicy // nil: keep all chunks
	Spacing      uint64      // distance factor of blocks with the tag pooldebug: [Spacing], or 1 where places have to be what they are; 0: blocks are not watched
	Rounding     uint64      // what lengths are rounded up to, at least; 0: all blocks have the same
}

// Rung is one step of the ladder that an allocation climbs before it fails.
type Rung struct {
	Kind RungKind
	Pool func(device int) *Engine // RungPool: the other pool, or that of it which is for the device
}

// RungKind names what a rung does.
type RungKind uint8

// The rungs of the ladder on_exhausted.
const (
	RungPoll  RungKind = iota // reclaim frees whose stream has passed them
	RungTrim                  // give empty chunks back, here and in pools of the same budget, so that another chunk fits
	RungWait                  // wait for a block to be freed
	RungPool                  // take the block from another pool, on the same device
	RungError                 // fail

	// RungDriver takes the block straight from the pool's source, as an allocation of its own that goes back when it is freed (in a pool
	// without free for one block: at Reset or Close). It counts as reserved, within limit and budget. So it helps where the limit leaves room that no chunk can
	// be had for: a request above the arena of a ring or the chunk of a bump pool, a rest of the limit that is smaller than a
	// chunk, a source that has room for the block and not for a chunk. It costs what the source's calls cost.
	RungDriver
)

// numbers reports whether the pool hands out numbers, which are given to it by Track.
func (c *Config) numbers() bool { return c.Source == nil && c.Binder == nil }

// largest is the size of the largest chunk that a pool with a limit could ever have, one below NoLimit. unit is ChunkSize in whole units of the source.
func (c *Config) largest(limit, unit int64) int64 {
	n := min(limit, c.Budget.Limit(), poolrt.NoLimit-1)
	if !c.Oversize {
		n = min(n, unit)
	}
	if c.MaxChunk > 0 {
		n = min(n, c.MaxChunk)
	}
	return n
}

// called is what an address is called in an error.
func (c *Config) called(addr uint64) string {
	switch {
	case c.numbers():
		return fmt.Sprintf("number %d", addr)
	case addr == 0:
		return "a nil pointer"
	}
	return fmt.Sprintf("address %#x", addr)
}

// otherLength says that a free named another length than that of the live block which begins at the address; "" if the piece there is none.
func (c *Config) otherLength(p poolrt.Piece, bytes uint64) string {
	if p.State != poolrt.PieceLive || p.Asked == bytes || c.Uncounted {
		return ""
	}
	return fmt.Sprintf(", freed with %d %s: the block that begins there was handed out with another length, and takes up %d", bytes, c.unit(), p.Size)
}

// unit is what sizes count.
func (c *Config) unit() string {
	if c.numbers() {
		return "numbers"
	}
	return "bytes"
}

// checkItem refuses types that hold a pointer anywhere: the garbage collector does not look into the memory of pools.
func checkItem(t reflect.Type) error {
	if path := pointerIn(t, t.String()); path != "" {
		return &badItem{path}
	}
	return nil
}

// badItem matches ErrBadItem.
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

// Versions of generated code that this package serves. Each package of pools compares its own with them when it is compiled, and where it is
// outside, the name in the compiler's message says what to run.
const (
	// OldestOutput is raised when this package cannot serve older output any more: that has to be generated again.
	OldestOutput = 2
	// NewestOutput is raised when output needs what earlier versions of this package have not: those have to be updated.
	NewestOutput = 2
)

// What the program was built for, as constants: what depends on them is gone from programs built without the tags.
const (
	// Debug is [poolrt.Debug].
	Debug = poolrt.Debug
	// Observed reports whether the engine hears of each block that pools hand out and get back: in programs built with the tag pooldebug or pooltrace.
	Observed = poolrt.Debug || poolrt.Traced
)
