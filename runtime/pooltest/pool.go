package pooltest

import (
	"context"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Pool is one pool under test, whose blocks are of type B. Calls that the pool does not have are nil.
type Pool[B any] struct {
	Traits
	Whole Whole

	Alloc        func(n int) (B, error) // n items; 1 in a pool of equal blocks
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

	Extent func(block B) Extent // where a block lies
	Memory func(block B) []byte // its bytes, where Go can address them
}

// Traits are what a test has to know of a pool beside its calls.
type Traits struct {
	ItemBytes int64 // what an item counts for: bytes, or 1 for numbers
	Most      int   // items that a test may ask for in one call
	Align     int64 // of every block, at least
	Room      int64 // limit that tests set, unless the pool's own is lower
	Locked    bool  // several goroutines may call
	Borrows   bool  // the ladder names another pool, which is to be left alone
	Shares    bool  // a budget, of which others may hold what the pool needs
	Waits     bool  // the ladder waits where nobody would free
	Zeroed    bool  // every block is zero when it is handed out
}

// Whole are the calls about a pool as a whole.
type Whole interface {
	Stats() poolrt.Stats
	Trim(keep int64) (int64, error)
	Poll() int
	SetLimit(bytes int64) error
	Effective() (allocator, reason string)
	Close() error
	CloseForce() error
}

// Stream is a stream that blocks are used on.
type Stream[B any] struct {
	Alloc       func(n int) (B, error) // nil with ordering deferred
	Free        func(block B) error    // nil likewise
	FreeAsync   func(block B) error
	Synchronize func() error
}

// Extent is where a block lies.
type Extent struct {
	Space  uint64 // addresses of different spaces have nothing to do with each other
	Start  uint64
	Length uint64
}

// overlaps reports whether two blocks have a byte, or a number, in common.
func (e Extent) overlaps(o Extent) bool {
	return e.Space == o.Space && e.Start < o.Start+o.Length && o.Start < e.Start+e.Length
}

// firstNumber is the first of those that are given to a pool of numbers. The zero block is none of them.
const firstNumber = 1000

// expired has ended: an allocation with it takes what there is and does not wait.
var expired = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
