package budget

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Member is the place of one pool in a budget. Methods are safe for concurrent use, and accept a nil receiver: a pool without a budget.
type Member struct {
	Terms
	giver  Giver
	budget *Budget
	held   atomic.Int64
	used   atomic.Int64  // Budget.uses when the pool's memory was last seen in use
	seen   atomic.Uint64 // one more than Giver.Uses has returned last; 0: nobody has looked

	mu    sync.Mutex // taken only with a guarantee
	owed  int64      // the guarantee while the pool is a member, else 0
	given atomic.Int64
}

// Terms are what a pool file says about a pool in its budget.
type Terms struct {
	Guarantee int64 // bytes that the pool can always have
	Priority  int   // who gives first: the lowest
	Reclaim   Ways  // what others may have the pool do
}

// Ways is a set of ways to reclaim memory of a pool.
type Ways uint8

// The ways, in the order in which they are tried.
const (
	Trim  Ways = 1 << iota // return empty chunks
	Hook                   // call functions of the program
	Sleep                  // return all memory, and keep the contents on the host
)

// UsualPriority is the priority of a pool whose pool file sets none.
const UsualPriority = 50

// MostPriority is the highest priority.
const MostPriority = 100

// NewMember makes the place of a pool, which joins later. With a nil budget the result is nil.
func NewMember(b *Budget, g Giver, t Terms) *Member {
	if b == nil {
		return nil
	}
	return &Member{Terms: t, giver: g, budget: b}
}

// Budget returns the budget; nil for nil.
func (m *Member) Budget() *Budget {
	if m == nil {
		return nil
	}
	return m.budget
}

// Giver returns the pool.
func (m *Member) Giver() Giver { return m.giver }

// Held returns what the pool is charged for, apart from its guarantee.
func (m *Member) Held() int64 {
	if m == nil {
		return 0
	}
	return m.held.Load()
}

// Given returns the bytes that the pool has given back for others so far.
func (m *Member) Given() int64 {
	if m == nil {
		return 0
	}
	return m.given.Load()
}

// Available returns how many bytes the pool may hold more. Other pools may take what is beyond its guarantee first.
func (m *Member) Available() int64 {
	if m == nil {
		return NoLimit
	}
	owed := max(m.Guarantee-m.held.Load(), 0)
	if free := m.budget.Free(); free >= 0 {
		return free + owed
	}
	return max(min(owed, m.budget.Limit()-m.budget.Held()), 0)
}

// Lacking returns how many bytes others have to give back so that the pool may hold n bytes more; 0 or less if none.
func (m *Member) Lacking(n int64) int64 {
	if m == nil {
		return 0
	}
	free := m.budget.Free()
	if beyond := n - max(m.Guarantee-m.held.Load(), 0); beyond > 0 {
		return beyond - free
	}
	if free >= 0 {
		return 0
	}
	return n - (m.budget.Limit() - m.budget.Held())
}

// Join makes the pool a member, and charges its guarantee. It reports false if there is no room for that.
func (m *Member) Join() bool {
	if m == nil {
		return true
	}
	b := m.budget
	if m.Guarantee > 0 && !b.charge(m.Guarantee) {
		return false
	}
	m.mu.Lock()
	m.owed = m.Guarantee
	m.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = append(b.members, m)
	b.guaranteed += m.Guarantee
	return true
}

// Leave ends what Join has begun, if it has. What the pool still holds stays charged until Release.
func (m *Member) Leave() {
	if m == nil {
		return
	}
	b := m.budget
	b.mu.Lock()
	at := slices.Index(b.members, m)
	if at >= 0 {
		b.members = slices.Delete(b.members, at, at+1)
		b.guaranteed -= m.Guarantee
	}
	b.mu.Unlock()
	if at < 0 || m.Guarantee == 0 {
		b.spare()
		return
	}
	m.mu.Lock()
	lacking := max(m.owed-m.held.Load(), 0)
	m.owed = 0
	m.mu.Unlock()
	b.discharge(lacking)
	b.spare()
}

// Reserve charges n bytes that the pool is about to obtain, all or nothing. Cost without a guarantee: an atomic operation on the budget, and one on the pool.
func (m *Member) Reserve(n int64) bool {
	switch {
	case m == nil:
		return true
	case m.Guarantee == 0:
		return m.take(n, n)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.take(n, m.beyond(n))
}

// take adds n bytes to what the pool holds, of which so many lie beyond its guarantee.
func (m *Member) take(n, beyond int64) bool {
	m.Touch()
	switch {
	case beyond > 0:
		if !m.budget.charge(beyond) {
			return false
		}
	case m.budget.free.Load() < 0: // never of a budget that other processes share
		return m.takeBelow(n)
	}
	m.held.Add(n)
	return true
}

// takeBelow is take within the guarantee after the limit was lowered: what is guaranteed to other pools makes up for it, but not what they hold.
func (m *Member) takeBelow(n int64) bool {
	b := m.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.Limit()-b.held() {
		return false
	}
	m.held.Add(n)
	return true
}

// beyond returns how many of n more bytes would lie beyond the guarantee.
func (m *Member) beyond(n int64) int64 {
	lacking := max(m.owed-m.held.Load(), 0)
	return max(n-lacking, 0)
}

// Release returns n bytes, and wakes those who wait for room.
func (m *Member) Release(n int64) {
	switch {
	case m == nil || n == 0:
	case m.Guarantee == 0:
		m.held.Add(-n)
		m.budget.discharge(n)
	default:
		m.mu.Lock()
		m.held.Add(-n)
		n = m.beyond(n)
		m.mu.Unlock()
		m.budget.discharge(n)
	}
}

// Touch notes that the memory of the pool is in use now.
func (m *Member) Touch() { m.used.Store(m.budget.uses.Add(1)) }
