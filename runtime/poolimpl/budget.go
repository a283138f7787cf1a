package poolimpl

import (
	"cmp"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Budget is [poolrt.Budget], as generated code names it.
type Budget = poolrt.Budget

// NewBudget makes a budget of limit bytes.
func NewBudget(name string, limit int64) *Budget { return poolrt.NewBudget(name, limit) }

// NewHostBudget makes a budget of limit bytes that all processes of the user share. It takes lease bytes at a time for this process.
func NewHostBudget(name string, limit, lease int64) *Budget {
	return poolrt.NewHostBudget(name, limit, lease)
}

// Ways is a set of ways in which other pools of a budget may have a pool give memory back: the key reclaim.
type Ways uint8

// The ways that the key reclaim names.
const (
	ReclaimTrim  = Ways(budget.Trim)
	ReclaimHook  = Ways(budget.Hook)
	ReclaimSleep = Ways(budget.Sleep)
	ReclaimNone  = Ways(1 << 7) // none, as 0 stands for ReclaimTrim
)

// UsualPriority is the priority of a pool whose pool file sets none.
const UsualPriority = budget.UsualPriority

// enter gives the pool its place in the budget that settings name. It joins when it is opened. A pool without a lock gives nothing back for others: only its user may
// call it.
func (e *Engine) enter(s registry.Settings) {
	terms := budget.Terms{Guarantee: s.Guarantee, Priority: s.Priority}
	if ways := cmp.Or(e.config.Reclaim, ReclaimTrim); e.config.Locked {
		terms.Reclaim = budget.Ways(ways &^ ReclaimNone)
	}
	e.priority, e.budget = s.Priority, budget.NewMember(s.Budget, giver{e}, terms)
	if d := e.core.driver; d != nil {
		d.enter(e.budget)
	}
}

// Budget returns the budget of the pool; nil if it has none.
func (e *Engine) Budget() *Budget {
	e.lock()
	defer e.unlock()
	return (*Budget)(e.budget.Budget())
}

// Priority returns the priority of the pool in its budget, and among the pools of a group.
func (e *Engine) Priority() int {
	e.lock()
	defer e.unlock()
	return e.priority
}

// joinBudget makes a pool that is about to open a member of its budget. Other pools give back what they do not use if there is no room for the guarantee. The lock is
// released meanwhile.
func (e *Engine) joinBudget() error {
	if err := e.budget.Budget().Connect(); err != nil {
		return &causedBy{poolrt.LedgerError(err), err}
	}
	if e.budget.Join() {
		return nil
	}
	share := e.budget
	e.unlocked(func() {
		share.Budget().Reclaim(share, e.needs(anyWay, func() int64 { return share.Guarantee - share.Budget().Free() }))
	})
	switch {
	case e.life.closed:
		return poolrt.ErrClosed
	case e.life.opened:
		return nil
	case e.budget != share: // Open has chosen another one meanwhile
		return e.joinBudget()
	case share.Join():
		return nil
	}
	b := share.Budget()
	return &causedBy{poolrt.ErrLimit, fmt.Errorf("budget %q has no room for the guarantee of %d: its pools hold %d of %d, and %d are kept for other guarantees",
		b.Name(), share.Guarantee, b.Held(), b.Limit(), b.Charged()-b.Held())}
}

// needs describes what the pool needs of others.
func (e *Engine) needs(ways budget.Ways, lacking func() int64) budget.Need {
	return budget.Need{For: e.name.get(), Priority: e.priority, Ways: ways, Lacking: lacking}
}

// tidyBudget gives what the budget does not need back to other processes, and has the pools give back what these wait for. The caller does not hold e.mu.
func (e *Engine) tidyBudget() {
	e.lock()
	b := e.budget.Budget()
	e.unlock()
	b.Tidy()
}

// reclaim has the other pools of the budget give memory back in some ways, as many bytes as are lacking. It reports whether to try again: they have given any,
// there was room for another reason, or a hook has closed the pool. The lock is released meanwhile.
func (e *Engine) reclaim(ways budget.Ways, lacking func() int64) (again bool) {
	self := e.budget
	if self == nil || lacking == nil || lacking() <= 0 {
		return false
	}
	e.unlocked(func() { again = self.Budget().Reclaim(self, e.needs(ways, lacking)) })
	return again || e.life.closed
}

// anyWay is how a request has others make room.
const anyWay = budget.Trim | budget.Hook | budget.Sleep
