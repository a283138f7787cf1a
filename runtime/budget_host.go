package poolrt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/ledger"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// BudgetOptions are what [OpenBudget] needs to know besides the name.
type BudgetOptions struct {
	Limit int64  // of all processes together; at least 1
	Lease int64  // what a process takes at a time: 1 MiB or more, at most Limit; 0: 64 MiB, or Limit if that is less
	Dir   string // of the ledger, an absolute path; "": poolgen in $XDG_RUNTIME_DIR, or else /dev/shm/poolgen-UID
}

// OpenBudget makes a budget that all processes of the user share which open one of that name, or joins it. Pools join with [WithBudget]; the pools of a pool file
// whose budget has scope: host share it by its name. The name has up to 64 letters, digits, dots, hyphens and underlines, and begins with a letter.
//
// The processes agree on a file, the ledger. If others use it with another limit, or the file is not a ledger, the error is [ErrBadFile]; sizes out of range are
// [ErrBadSize], and systems other than Linux [ErrUnsupported]. A process leaves the ledger when it ends, however it ends. Two budgets of one name in one process are
// like those of two processes.
func OpenBudget(name string, o BudgetOptions) (*Budget, error) {
	chosen := o.Lease != 0
	if !chosen {
		o.Lease = budget.DefaultLease
	}
	switch fail := budgetError(name, "open"); {
	case o.Limit < 1:
		return nil, fail(ErrBadSize, nil, "limit %d: at least 1 byte is to be shared", o.Limit)
	case o.Lease < budget.LeastLease:
		return nil, fail(ErrBadSize, nil, "lease %d: a process takes %d bytes at a time or more", o.Lease, budget.LeastLease)
	case chosen && o.Lease > o.Limit:
		return nil, fail(ErrBadSize, nil, "lease %d: it is at most the limit, %d bytes", o.Lease, o.Limit)
	case o.Dir != "" && !filepath.IsAbs(o.Dir):
		return nil, fail(ErrBadFile, nil, "directory %q: processes in other directories would not find it; write an absolute path", o.Dir)
	}
	b := budget.NewHost(ledger.Options{Dir: o.Dir, Name: name, Limit: o.Limit, Program: registry.Program()}, o.Lease)
	if err := b.Connect(); err != nil {
		return nil, budgetError(name, "open")(LedgerError(err), err, "")
	}
	return (*Budget)(b), nil
}

// NewHostBudget makes a budget that all processes of the user share, which is opened when a pool is. Generated code calls it; programs call [OpenBudget], which
// says what is wrong.
func NewHostBudget(name string, limit, lease int64) *Budget {
	return (*Budget)(budget.NewHost(ledger.Options{Name: name, Limit: limit, Program: registry.Program()}, lease))
}

// Serve answers other processes that share the budget until ctx ends, and returns the error of ctx: while one of them waits for memory, pools of this process give
// back what they do not use, as they do for each other, and never below their guarantees. It also wakes allocations here that wait for memory of other processes
// as soon as there is some. Run it on a goroutine of its own. Without it this process answers in Trim and Poll of its pools, gives back what it has leased and does
// not use when memory goes back, and looks for room every 5 ms while an allocation waits.
//
// For a budget of this process alone, Serve returns [ErrUnsupported] at once. Other errors are those of the ledger: see [OpenBudget].
func (b *Budget) Serve(ctx context.Context) error {
	fail := budgetError(b.Name(), "serve")
	if !b.shared().Host() {
		return fail(ErrUnsupported, nil, "no other process shares it")
	}
	switch err := b.shared().Serve(ctx); {
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fail(LedgerError(err), err, "")
	}
}

// HostBudgets lists the budgets that this process shares with other processes: those of OpenBudget, and those of pool files once one of their pools was used.
func HostBudgets() (all []*Budget) {
	for _, b := range budget.Hosts() {
		all = append(all, (*Budget)(b))
	}
	return all
}

// BudgetProcess is one process that shares a budget.
type BudgetProcess struct {
	Program  string `json:"program"` // import path of its main package
	PID      int    `json:"pid"`
	Own      bool   `json:"own,omitempty"` // it is this one, through this budget
	Leased   int64  `json:"leased"`        // bytes of the limit that it has, in use or not
	Wanted   int64  `json:"wanted"`        // bytes that its allocations wait for
	Given    int64  `json:"given"`         // bytes that it has given back so far while others waited
	Priority int    `json:"priority"`      // the highest of its pools that wait
}

// Processes lists the processes that share the budget, this one among them; none for a budget of this process alone. The errors are those of [OpenBudget]. Cost: a
// lock of the ledger, and a call of the system for each process.
func (b *Budget) Processes() ([]BudgetProcess, error) {
	list, err := b.shared().Processes()
	if err != nil {
		return nil, budgetError(b.Name(), "list processes")(LedgerError(err), err, "")
	}
	all := make([]BudgetProcess, len(list))
	for i, e := range list {
		all[i] = BudgetProcess{e.Program, e.PID, e.Own, e.Held, e.Wanted, e.Given, e.Priority}
	}
	return all, nil
}

// LedgerError returns the error of this package that stands for one of a ledger. Pools call it; programs need not.
func LedgerError(err error) error {
	switch {
	case errors.Is(err, ledger.ErrBadFile):
		return ErrBadFile
	case errors.Is(err, ledger.ErrFull), errors.Is(err, ledger.ErrBusy):
		return ErrLimit
	}
	return ErrUnsupported
}

// budgetError returns a function that makes an error about a budget, which is not that of a pool.
func budgetError(name, op string) func(err, cause error, format string, args ...any) error {
	return func(err, cause error, format string, args ...any) error {
		return &PoolError{Pool: "budget " + name, Op: op, Err: err, Cause: cause, Unit: "none", Detail: fmt.Sprintf(format, args...)}
	}
}
