package pooltest

import (
	"context"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Pool describes a pool under test. B is the type of its blocks. Functions that the pool does not have are nil.
type Pool[B any] struct {
	Traits
	Whole Whole

	Alloc        func(n int) (B, error) // n items; n is 1 if all blocks of the pool have one size
	TryAlloc     func(n int) (B, bool)
	AllocAligned func(n, align int) (B, error)
	AllocContext func(ctx context.Context, n int) (B, error)
	AllocBatch   func(dst []B) (int, error)
	FreeBatch    func(blocks []B) error
	Free         func(block B) error
	Reset        func() error
	Mark         func() (release func() error)
	Track        func(first, n uint64) error
	Streams      []Stream[B]

	Extent func(block B) Extent // address and size of a block
	Memory func(block B) []byte // its bytes; nil if Go code cannot address the memory
}

// Traits are properties of a pool.
type Traits struct {
	ItemBytes int64 // size of an item in bytes, or 1 for numbers
	Most      int   // largest number of items that a test requests in one call
	Align     int64 // alignment that every block has at least, in bytes
	Room      int64 // limit in bytes that tests set, unless the limit of the pool is lower
	Locked    bool  // several goroutines may use the pool at once
	Borrows   bool  // the ladder names another pool, which tests must not use
	Shares    bool  // the pool has a budget, which other pools may have used up
	Waits     bool  // the ladder waits, also where no other goroutine frees blocks
	Zeroed    bool  // the bytes of every new block are zero
	Drops     bool  // Reset also frees live blocks, although blocks are freed one by one
}

// Whole are the methods of a generated pool that concern the whole pool.
type Whole interface {
	poolrt.Pool
	Poll() int
	SetLimit(bytes int64) error
	Effective() (allocator, reason string)
	CloseForce() error
}

// Stream is a stream, with the calls of the pool that take it.
type Stream[B any] struct {
	Alloc       func(n int) (B, error) // nil with ordering deferred
	Free        func(block B) error    // nil with ordering deferred
	FreeAsync   func(block B) error
	Synchronize func() error
}

// Extent is the place of a block.
type Extent struct {
	Space  uint64 // blocks of different spaces do not overlap
	Start  uint64 // address, or first number
	Length uint64 // bytes, or numbers
}

// overlaps reports whether two extents have a byte or a number in common.
func (e Extent) overlaps(o Extent) bool {
	return e.Space == o.Space && e.Start < o.Start+o.Length && o.Start < e.Start+e.Length
}

// firstNumber is the first number that a pool of numbers gets. It is not 0, as the zero block must not be valid.
const firstNumber = 1000

// expired is a context that has ended: an allocation with it does not wait.
var expired = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
