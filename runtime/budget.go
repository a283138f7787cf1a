package runtime

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Budget is a hard limit that several pools share. All methods accept a nil receiver, which limits nothing, and are safe for
// concurrent use.
type Budget struct {
	name    string
	limit   int64
	used    atomic.Int64
	mu      sync.Mutex
	members []*Engine
}

// NewBudget makes a budget of the given number of bytes.
func NewBudget(name string, limit int64) *Budget { return &Budget{name: name, limit: limit} }

// Name returns the budget's name.
func (b *Budget) Name() string { return b.name }

// Limit returns the bytes that the pools may reserve together.
func (b *Budget) Limit() int64 { return b.limit }

// Reserved returns the bytes that the pools have reserved.
func (b *Budget) Reserved() int64 { return b.used.Load() }

// ceiling is the most that one pool could ever get.
func (b *Budget) ceiling() int64 {
	if b == nil {
		return NoLimit
	}
	return b.limit
}

// room is what is left now. Another pool may take it first.
func (b *Budget) room() int64 {
	if b == nil {
		return NoLimit
	}
	return b.limit - b.used.Load()
}

// take reserves n bytes, all or nothing.
func (b *Budget) take(n int64) bool {
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

// give returns n bytes and lets those try again who wait in other pools. It is called with a pool's lock held, so the
// others are woken from a goroutine of its own; there is one only if somebody waits.
func (b *Budget) give(n int64) {
	if b == nil {
		return
	}
	b.used.Add(-n)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.members {
		if e.starved.Load() > 0 {
			go e.retryLocked()
		}
	}
}

func (b *Budget) join(e *Engine) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = append(b.members, e)
}

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
