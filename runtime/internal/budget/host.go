package budget

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/ledger"
)

// host is the part of this process in a budget that several processes share. It takes a lease of the ledger at a time, out of which the pools are charged without it.
// What is leased and not charged is idle: at most one lease stays idle when memory goes back, and none while others wait for some.
type host struct {
	budget  *Budget
	options ledger.Options
	open    func(ledger.Options) (shares, error)
	lease   int64
	file    atomic.Pointer[shares] // nil: not connected yet
	owed    atomic.Int64           // taken from the budget, and not given to the ledger yet as it has refused
	room    atomic.Int64           // what nobody had when the ledger was read last
	dry     atomic.Bool            // the ledger has refused bytes: room has to be read again
	needing atomic.Int32           // goroutines that reclaim for pools of this process: what goes back is theirs

	failed atomic.Pointer[error] // of the last call of the ledger

	mu    sync.Mutex
	wants []*want
}

// shares is a [ledger.Ledger]: as an interface, so that programs without such a budget do not link it.
type shares interface {
	Take(need, want int64) (got, left int64, err error)
	Give(n int64) (given int64, err error)
	Room(patience time.Duration) (int64, error)
	Want(n int64, priority int) error
	Asked() (ledger.Want, error)
	Wait(ctx context.Context) error
	Rung() bool
	Heard() (ledger.Want, error)
	Died() (ago time.Duration, any bool)
	List() ([]ledger.Entry, error)
}

// ledger returns the ledger; nil if the budget is not connected yet.
func (h *host) ledger() shares {
	if l := h.file.Load(); l != nil {
		return *l
	}
	return nil
}

// want is one wait for room.
type want struct {
	bytes    int64
	priority int
}

// DefaultLease is the lease of a budget whose pool file sets none, and LeastLease the smallest.
const (
	DefaultLease int64 = 64 << 20
	LeastLease   int64 = 1 << 20
)

// NewHost makes a budget of a limit for all processes that use the ledger. It connects when it is first used, or by Connect.
func NewHost(o ledger.Options, lease int64) *Budget {
	b := New(o.Name, o.Limit)
	b.host = &host{budget: b, options: o, lease: lease, open: func(o ledger.Options) (shares, error) { return ledger.Open(o) }}
	b.host.room.Store(o.Limit)
	b.grant(-b.granted)
	return b
}

// Host reports whether other processes share the budget.
func (b *Budget) Host() bool { return b != nil && b.host != nil }

// Leased returns how many bytes this process has of a budget that other processes share.
func (b *Budget) Leased() int64 {
	if !b.Host() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.granted
}

// Elsewhere returns how many bytes other processes had when the ledger was read last.
func (b *Budget) Elsewhere() int64 {
	if !b.Host() {
		return 0
	}
	return max(b.Limit()-b.Leased()-max(b.host.room.Load(), 0), 0)
}

// Connect opens the ledger, if the budget has one that is not open. The error is one of package ledger or of the system.
func (b *Budget) Connect() error {
	if !b.Host() || b.host.file.Load() != nil {
		return nil
	}
	h := b.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file.Load() != nil {
		return nil
	}
	l, err := h.open(h.options)
	if err != nil {
		return err
	}
	h.file.Store(&l)
	connected.Lock()
	defer connected.Unlock()
	connected.list = append(connected.list, b)
	return nil
}

// connected lists the budgets that this process shares with others. They stay until it ends, as their ledgers do.
var connected struct {
	sync.Mutex
	list []*Budget
}

// Hosts lists the budgets that this process shares with others.
func Hosts() []*Budget {
	connected.Lock()
	defer connected.Unlock()
	return slices.Clone(connected.list)
}

// Failure returns why the ledger has refused the last call; nil if it has not.
func (b *Budget) Failure() error {
	if !b.Host() {
		return nil
	}
	if err := b.host.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// note keeps the error of a call of the ledger for Failure.
func (h *host) note(err error) { h.failed.Store(&err) }

// take adds n bytes or more to what this process may be charged, and reports false if other processes have them.
func (h *host) take(n int64) bool {
	l := h.ledger()
	if l == nil {
		return false
	}
	owed := h.owed.Swap(0)
	h.budget.grant(owed)
	if n -= owed; n <= 0 {
		return true
	}
	got, left, err := l.Take(n, (n+h.lease-1)/h.lease*h.lease)
	h.note(err)
	h.budget.grant(got)
	h.room.Store(left)
	h.dry.Store(got == 0)
	return got > 0
}

// left returns how many bytes no process has. It reads the ledger if that has refused bytes the last time. Otherwise it counts all that this process does not have: if
// others have some, the ledger will say so.
func (h *host) left() int64 {
	if h.file.Load() == nil || !h.dry.Load() {
		return h.budget.Limit() - h.budget.Leased()
	}
	return h.read(ledger.Impatience)
}

// read returns how many bytes no process has, as the ledger says.
func (h *host) read(patience time.Duration) int64 {
	n, err := h.ledger().Room(patience)
	h.note(err)
	h.room.Store(n)
	return n
}

// await waits for the ledger if that was in use when a pool asked, which does not wait with its locks held:
// frees would have to.
func (b *Budget) await() {
	if b.Host() && errors.Is(b.Failure(), ledger.ErrBusy) {
		b.host.read(ledger.Patience)
	}
}

// give gives idle bytes back to other processes, at most n, and returns how many.
func (h *host) give(n int64) int64 {
	l := h.ledger()
	idle := h.budget.unlease(n) + h.owed.Swap(0)
	if l == nil || idle == 0 {
		return 0
	}
	given, err := l.Give(idle)
	h.note(err)
	h.owed.Add(idle - given)
	h.room.Add(given)
	return given
}

// unlease takes back what is leased and not charged, up to n bytes, and returns how many.
func (b *Budget) unlease(n int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		free := b.free.Load()
		n = max(min(n, free), 0)
		if b.free.CompareAndSwap(free, free-n) {
			b.granted -= n
			return n
		}
	}
}

// unused reports whether the budget has no pools.
func (b *Budget) unused() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.members) == 0
}

// idle returns what is leased and not charged.
func (b *Budget) idle() int64 { return max(b.free.Load(), 0) }

// spare gives back what is idle beyond one lease, and all that others wait for. It is called with locks of pools held, when memory has gone back.
func (b *Budget) spare() {
	h := b.host
	if h == nil || h.needing.Load() > 0 {
		return
	}
	keep := h.lease
	if b.unused() {
		keep = 0
	}
	if n := b.idle() - keep; n > 0 {
		h.give(n)
	}
	if l := h.ledger(); l != nil && b.idle() > 0 && l.Rung() {
		if w, err := l.Heard(); err == nil {
			h.give(w.Bytes)
		}
	}
}

// needs has what goes back stay with this process until the function that it returns is called: a pool here is in need of it.
func (b *Budget) needs() (done func()) {
	if b.host == nil {
		return func() {}
	}
	b.host.needing.Add(1)
	return func() { b.host.needing.Add(-1) }
}

// mourning is how long after the death of another process the system may still be freeing its memory.
const mourning = time.Second

// Mourns reports whether another process that shared the budget has died so recently that the system may still be freeing its memory.
func (b *Budget) Mourns() bool {
	if !b.Host() || b.host.file.Load() == nil {
		return false
	}
	ago, any := b.host.ledger().Died()
	return any && ago < mourning
}

// Processes lists who shares the budget; nil for a budget of this process alone.
func (b *Budget) Processes() ([]ledger.Entry, error) {
	if !b.Host() {
		return nil, nil
	}
	if err := b.Connect(); err != nil {
		return nil, err
	}
	return b.host.ledger().List()
}
