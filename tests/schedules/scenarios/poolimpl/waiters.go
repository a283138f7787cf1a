//go:build explored

package poolimpl

import (
	"context"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// ending is a context that ends when a thread says so. Functions for its end run in that thread.
type endingContext struct {
	context.Context
	ended bool
	hooks []func()
}

func (c *endingContext) Err() error {
	if c.ended {
		return context.Canceled
	}
	return nil
}

func (c *endingContext) end() {
	c.ended = true
	explore.See(1)
	for _, f := range c.hooks {
		f()
	}
}

// A waiter gets a block once there is one for it: a schedule in which it waits on is a fault.
func waiterCases() (list []explore.Case) {
	var p *pool
	var ctx *endingContext
	waits := func() {
		if _, err := p.alloc(context.Background()); err != nil {
			explore.Failf("a waiter: %v", err)
		}
	}
	tries := func() {
		addr, err := p.alloc(nil)
		if wantErr("alloc", err, poolrt.ErrLimit); err == nil {
			p.free(addr)
		}
	}
	var order []int
	inTurn := func(i int) func() {
		return func() {
			explore.Select("waits for others to wait", func() bool { return len(p.waiters.queue) >= i })
			addr, err := p.alloc(context.Background())
			wantErr("a waiter", err)
			if order = append(order, i); order[len(order)-1] != len(order)-1 {
				explore.Failf("waiters are served out of order: %v", order)
			}
			p.free(addr)
		}
	}
	free := func(n ...int) func() {
		return func() {
			for _, i := range n {
				p.free(p.list[i])
			}
		}
	}
	for _, k := range []kind{lockedPool, sharedPool, driverPool} {
		subject := []string{lockedPool: "waitersLocked", sharedPool: "waitersShared", driverPool: "waitersDriver"}[k]
		add := func(name string, live int, change func(c *Config), threads ...func()) {
			setup := func() {
				p = newPool(k, int64(live), change)
				p.fill(live)
				order = order[:0]
				ctx = &endingContext{Context: context.Background()}
				p.begun()
			}
			list = append(list, newCase(subject, name, setup, func() { p.rest() }, threads...))
		}
		one := func(c *Config) { c.ChunkSize = 1 }
		again := func(i int) func() { // a block that comes and goes
			return func() {
				p.free(p.list[i])
				if addr, err := p.alloc(nil); err == nil {
					p.free(addr)
				}
			}
		}
		add("a free", 1, nil, waits, free(0))
		add("a free, and nobody waits", 1, nil, tries, free(0))
		add("two wait", 2, nil, waits, waits, free(0, 1))
		add("two wait, and two free", 2, nil, waits, waits, free(0), free(1))
		add("another is faster", 1, nil, waits, again(0))
		add("a free, and another that fails", 1, nil, waits, tries, free(0))
		if k != driverPool { // there two of them may call the driver at once
			add("order of arrival", 1, nil, inTurn(0), inTurn(1), func() {
				explore.Select("waits for two to wait", func() bool { return len(p.waiters.queue) == 2 })
				p.free(p.list[0])
			})
			add("order of arrival, and the first tries", 1, nil, inTurn(0), inTurn(1), func() {
				explore.Select("waits for two to wait", func() bool { return len(p.waiters.queue) == 2 })
				wantErr("SetLimit", p.SetLimit(1)) // which makes the first try
				p.free(p.list[0])
			})
		}
		rise := func() { p.source.most = 2; wantErr("SetLimit", p.SetLimit(2)) }
		add("the limit rises", 1, one, waits, rise)
		add("the limit rises, and a free", 1, one, waits, waits, rise, free(0))
		add("a trim, and a free", 2, one, waits, func() { _, err := p.Trim(0); wantErr("Trim", err) }, free(0, 1))
		add("the first gives up", 1, nil, func() {
			addr, err := p.alloc(ctx)
			if wantErr("alloc", err, context.Canceled, poolrt.ErrLimit); err == nil {
				p.free(addr)
			}
		}, waits, func() { ctx.end(); p.free(p.list[0]) })
		add("Close", 1, nil, func() {
			_, err := p.alloc(context.Background())
			wantErr("alloc", err, poolrt.ErrClosed)
			if err == nil {
				explore.Failf("a block of a closed pool")
			}
		}, func() { wantErr("CloseForce", p.CloseForce(func() { p.blocks = fewBlocks{} })) })
	}
	return list
}
