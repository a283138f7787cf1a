// Package budget has the limits that several pools share. It counts bytes and decides who gives memory back to whom. It knows pools only as a [Giver], and calls
// them without a lock of its own.
//
// A [Budget] is charged for each pool whichever is larger: the bytes that the pool holds, or its guarantee. So a pool below its guarantee always has room, and never
// needs others. What the pools are charged together is at most the limit at each moment, except for what they held already when the limit was lowered below it.
package budget

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// NoLimit stands for the absence of a limit.
const NoLimit int64 = math.MaxInt64

// Budget is a hard limit that several pools share. Methods are safe for concurrent use, and accept a nil receiver, which limits nothing.
//
// What the pools are charged is granted - free: the sum over the members of what they hold, or of their guarantees where these are larger. free is the one number that
// decides, so a charge and a change of the limit come one after the other.
type Budget struct {
	name  string
	free  atomic.Int64 // bytes that may be charged; less than 0 since the limit was lowered
	limit atomic.Int64
	host  *host // nil: the budget is this process's alone, and all of the limit is granted
	// Budget.reclaim, as a variable, so that programs without a budget do not link it.
	reclaims func(b *Budget, self *Member, need Need) bool
	turn     turn
	uses     atomic.Int64 // counts uses of memory, for Member.Touch

	mu         sync.Mutex
	granted    int64     // the limit or, of a budget that other processes share, what this one has leased
	members    []*Member // in the order in which they joined
	guaranteed int64     // the sum of the guarantees of the members
	room       chan struct{}
}

// New makes a budget of limit bytes.
func New(name string, limit int64) *Budget {
	b := &Budget{name: name, granted: limit, turn: newTurn(), reclaims: (*Budget).reclaim}
	b.limit.Store(limit)
	b.free.Store(limit)
	return b
}

// grant adds n bytes to what may be charged in all.
func (b *Budget) grant(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.granted += n
	b.free.Add(n)
	if n > 0 {
		b.wake()
	}
}

// Name returns the budget's name, "" for nil.
func (b *Budget) Name() string {
	if b == nil {
		return ""
	}
	return b.name
}

// Limit returns the bytes that the pools may hold together, NoLimit for nil.
func (b *Budget) Limit() int64 {
	if b == nil {
		return NoLimit
	}
	return b.limit.Load()
}

// Held returns the bytes that the pools hold, or are obtaining from their sources.
func (b *Budget) Held() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held()
}

// held is Held for a caller that holds b.mu.
func (b *Budget) held() int64 {
	n := b.charged()
	for _, m := range b.members {
		n -= max(m.Guarantee-m.held.Load(), 0)
	}
	return n
}

// Charged returns the bytes that no other pool can have: what the pools hold, and what they lack to their guarantees.
func (b *Budget) Charged() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.charged()
}

// charged is Charged for a caller that holds b.mu.
func (b *Budget) charged() int64 { return b.granted - b.free.Load() }

// Guaranteed returns the sum of the guarantees.
func (b *Budget) Guaranteed() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.guaranteed
}

// SetLimit changes the limit, and reports whether the guarantees fit. Pools that hold more keep it, and cannot grow until they hold less together.
func (b *Budget) SetLimit(bytes int64) (guaranteed int64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes < b.guaranteed {
		return b.guaranteed, false
	}
	more := bytes - b.limit.Swap(bytes)
	if b.host == nil {
		b.granted += more
		b.free.Add(more)
	}
	b.wake()
	return b.guaranteed, true
}

// Free returns how many bytes may be charged: less than 0 since the limit was lowered. Another pool, or another process that shares the budget, may be charged first.
func (b *Budget) Free() int64 {
	if b.host != nil {
		return b.free.Load() + b.host.left()
	}
	return b.free.Load()
}

// Charge charges n bytes that are no pool's, all or nothing.
func (b *Budget) Charge(n int64) bool { return b == nil || b.charge(n) }

// Discharge is the reverse of Charge.
func (b *Budget) Discharge(n int64) {
	if b != nil {
		b.discharge(n)
	}
}

// charge charges n bytes, all or nothing.
func (b *Budget) charge(n int64) bool {
	for {
		free := b.free.Load()
		switch {
		case n <= free:
			if b.free.CompareAndSwap(free, free-n) {
				return true
			}
		case b.host == nil || !b.host.take(n-free):
			return false
		}
	}
}

// discharge is the reverse of charge, and wakes those who wait for room.
func (b *Budget) discharge(n int64) {
	if n == 0 {
		return
	}
	b.free.Add(n)
	b.Wake()
	b.spare()
}

// Wake wakes those who wait for room.
func (b *Budget) Wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wake()
}

func (b *Budget) wake() {
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
}

// Room returns a channel that is closed when room has come; nil for nil.
func (b *Budget) Room() <-chan struct{} {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room == nil {
		b.room = make(chan struct{})
	}
	return b.room
}

// Members lists the pools of the budget in the order in which they joined.
func (b *Budget) Members() []*Member {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.members)
}
