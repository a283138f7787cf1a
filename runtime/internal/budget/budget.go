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
type Budget struct {
	name    string
	limit   atomic.Int64
	charged atomic.Int64 // the sum over the members of what they hold, or of the guarantee if that is larger
	leased  atomic.Int64 // bytes of the limit that this process may be charged; NoLimit without a ledger
	ledger  Ledger       // nil: the budget is this process's alone. Set before the first use
	reclaim turn
	used    atomic.Int64 // counts uses of memory, for Member.Touch

	mu         sync.Mutex
	members    []*Member // in the order in which they joined
	guaranteed int64     // the sum of the guarantees of the members
	room       chan struct{}
}

// Ledger is where a budget gets its room if other processes share it. It is asked with locks of pools held, so it calls no pool, and waits for nobody.
type Ledger interface {
	// Lease calls Budget.Lease with n bytes or more, and returns how many: 0 if other processes have them.
	Lease(n int64) int64
}

// New makes a budget of limit bytes.
func New(name string, limit int64) *Budget {
	b := &Budget{name: name}
	b.limit.Store(limit)
	b.leased.Store(NoLimit)
	b.reclaim.init()
	return b
}

// Share makes the ledger the source of room. Nothing may have been charged yet.
func (b *Budget) Share(l Ledger) {
	b.ledger = l
	b.leased.Store(0)
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
	n := b.charged.Load()
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
	return b.charged.Load()
}

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
	b.limit.Store(bytes)
	b.wake()
	return b.guaranteed, true
}

// Free returns how many bytes may be charged now: less than 0 since the limit was lowered. Another pool may be charged first.
func (b *Budget) Free() int64 {
	return b.limit.Load() - b.charged.Load() // a ledger may have less
}

// bound returns what may be charged in all.
func (b *Budget) bound() int64 { return min(b.limit.Load(), b.leased.Load()) }

// charge charges n bytes, all or nothing.
func (b *Budget) charge(n int64) bool {
	for {
		before := b.charged.Load()
		if n > b.limit.Load()-before {
			return false
		}
		if short := n - (b.bound() - before); short > 0 {
			if b.ledger == nil || b.ledger.Lease(short) == 0 {
				return false
			}
			continue
		}
		if !b.charged.CompareAndSwap(before, before+n) {
			continue
		}
		if before+n <= b.bound() { // else the limit or the lease was lowered since it was read
			return true
		}
		b.charged.Add(-n)
	}
}

// discharge is the reverse of charge, and wakes those who wait for room.
func (b *Budget) discharge(n int64) {
	if n == 0 {
		return
	}
	b.charged.Add(-n)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wake()
}

// Lease adds n bytes to what this process may be charged. The ledger calls it, and Unlease, which takes back what is not charged, up to n bytes, and returns how many.
func (b *Budget) Lease(n int64) { b.leased.Add(n) }

// Unlease is the reverse of Lease.
func (b *Budget) Unlease(n int64) int64 {
	for {
		leased := b.leased.Load()
		n = min(n, leased-b.charged.Load())
		if n <= 0 {
			return 0
		}
		if !b.leased.CompareAndSwap(leased, leased-n) {
			continue
		}
		if b.charged.Load() <= leased-n {
			return n
		}
		b.leased.Add(n) // a pool was charged meanwhile
	}
}

// Wake wakes those who wait for room. Ledgers call it when another process has given some back.
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
