package poolimpl

import (
	"slices"
	"sync"
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Budget is a hard limit that several pools share. All methods accept a nil receiver, which limits nothing. They are safe for concurrent use.
type Budget struct {
	name  string
	limit int64
	used  atomic.Int64 // reserved by the pools, or claimed for growth

	mu      sync.Mutex
	members []*Engine
	room    chan struct{} // closed when used decreases; nil: nobody waits
}

// NewBudget makes a budget of limit bytes.
func NewBudget(name string, limit int64) *Budget { return &Budget{name: name, limit: limit} }

// Name returns the budget's name, or "" for a nil budget.
func (b *Budget) Name() string {
	if b == nil {
		return ""
	}
	return b.name
}

// Limit returns the bytes that the pools may reserve together, or NoLimit for a nil budget.
func (b *Budget) Limit() int64 {
	if b == nil {
		return poolrt.NoLimit
	}
	return b.limit
}

// Reserved returns the bytes that the pools have reserved or are obtaining from their sources.
func (b *Budget) Reserved() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// info describes the budget.
func (b *Budget) info() poolrt.BudgetInfo {
	if b == nil {
		return poolrt.BudgetInfo{}
	}
	return poolrt.BudgetInfo{Name: b.name, Limit: b.limit, Reserved: b.used.Load()}
}

// available returns how many bytes may be reserved now. Another pool may reserve them first.
func (b *Budget) available() int64 {
	if b == nil {
		return poolrt.NoLimit
	}
	return b.limit - b.used.Load()
}

// reserve reserves n bytes, all or nothing.
func (b *Budget) reserve(n int64) bool {
	if b == nil {
		return true
	}
	for {
		used := b.used.Load()
		if n > b.limit-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// release returns n bytes and wakes those who wait for room.
func (b *Budget) release(n int64) {
	if b == nil || n == 0 {
		return
	}
	b.used.Add(-n)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
}

// roomChan returns a channel that is closed at the next release; nil for a nil budget.
func (b *Budget) roomChan() <-chan struct{} {
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

// join makes a pool a member.
func (b *Budget) join(e *Engine) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = append(b.members, e)
}

// leave removes a pool from the members.
func (b *Budget) leave(e *Engine) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = slices.DeleteFunc(b.members, func(m *Engine) bool { return m == e })
}

// others lists the other pools of the budget.
func (b *Budget) others(e *Engine) []*Engine {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.members), func(m *Engine) bool { return m == e })
}
