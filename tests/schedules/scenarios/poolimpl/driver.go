//go:build explored

package poolimpl

import (
	"context"
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// allocDriver allocates in a pool with ordering driver, as a generated pool does.
func (p *pool) allocDriver(ctx context.Context, s Stream, bytes uint64) (addr uint64, err error) {
	if addr, err = p.ready().AllocInOrder(s, bytes); addr != 0 {
		return addr, err
	}
	if ctx != nil {
		b, err := p.ready().AllocContextOn(ctx, s, int(bytes), 1)
		return b.Addr, err
	}
	b, err := p.ready().AllocAfter(err, s, int(bytes), 1)
	return b.Addr, err
}

// freeDriver is the free of such a pool.
func (p *pool) freeDriver(s Stream, addr, bytes uint64) error {
	if known, err := p.ready().FreeInOrder(s, addr, bytes); known {
		return err
	}
	return p.ready().FreeOn(s, addr, bytes)
}

// In a pool with ordering driver the limit is exact at each moment, the peak is at least what was live, each
// block goes back once, and a closed pool obtains nothing. The source checks the limit, and what comes back.
func driverCases() (list []explore.Case) {
	var p *pool
	s := Stream{ID: 1}
	most := int64(0) // bytes live, at any time
	alloc := func(n ...uint64) func() {
		return func() {
			for _, n := range n {
				p.timed('a', int64(n), func() bool {
					addr, err := p.allocDriver(nil, s, n)
					wantErr("alloc", err, poolrt.ErrLimit, poolrt.ErrTooLarge, poolrt.ErrClosed)
					if err == nil {
						p.got(addr, &s)
						p.bytes[addr] = int64(n)
						most = max(most, p.liveBytes())
					}
					return err == nil
				})
			}
		}
	}
	any := func() { // an allocation without a stream, which has no fast path
		p.timed('a', 1, func() bool {
			b, err := p.ready().Alloc(1, 1, 1)
			if wantErr("alloc", err, poolrt.ErrLimit, poolrt.ErrClosed); err == nil {
				p.got(b.Addr, nil)
				p.bytes[b.Addr] = 1
			}
			return err == nil
		})
	}
	free := func(n ...int) func() {
		return func() {
			for _, i := range n {
				addr := p.list[i]
				p.timed('f', p.bytes[addr], func() bool {
					p.gives(addr)
					wantErr("a free", p.freeDriver(s, addr, uint64(p.bytes[addr])), poolrt.ErrClosed)
					return true
				})
			}
		}
	}
	pair := func() { // a block that comes and goes
		addr, err := p.allocDriver(nil, s, 1)
		if wantErr("alloc", err, poolrt.ErrLimit, poolrt.ErrClosed); err == nil {
			p.got(addr, &s)
			p.gives(addr)
			wantErr("a free", p.freeDriver(s, addr, 1))
		}
	}
	setLimit := func(n int64) func() { return func() { p.setLimit(n) } }
	closes := func() { p.closes() }
	// twice frees a block that another thread frees, too.
	frees := 0
	twice := func(i int) func() {
		return func() {
			switch err := p.freeDriver(s, p.list[i], 1); {
			case err == nil:
				frees++
			case !errors.Is(err, poolrt.ErrDoubleFree):
				explore.Failf("a second free: %v", err)
			}
		}
	}
	// addTo adds a scenario of a pool with some blocks of one byte that are live. before runs before the
	// threads.
	addTo := func(before func(), name string, limit int64, live int, change func(*Config), finish func(), threads ...func()) {
		setup := func() {
			frees, most = 0, int64(live)
			p = newPool(driverPool, limit, change)
			for range live {
				addr, err := p.allocDriver(nil, s, 1)
				wantErr("before", err)
				p.got(addr, &s)
				p.list, p.bytes[addr] = append(p.list, addr), 1
			}
			if before != nil {
				before()
			}
			p.begun()
		}
		end := func() {
			if finish != nil {
				finish()
			}
			st, n := p.ready().Stats(), int64(len(p.live))
			switch {
			case !p.life.closed && (st.Live != n || st.Reserved != p.liveBytes() ||
				st.LiveBytes != st.Reserved || p.source.bytes != st.Reserved):
				explore.Failf("%+v with %d blocks of %d bytes live, and %d bytes from the source",
					st, n, p.liveBytes(), p.source.bytes)
			case st.PeakReserved < most || st.PeakBytes < most:
				explore.Failf("the peak is %d and %d, and %d bytes were live", st.PeakReserved, st.PeakBytes, most)
			case !p.life.closed && !p.explained(0, int64(live), min(limit, p.config.Budget.Limit()), map[[3]int64]bool{}):
				explore.Failf("no order of the operations explains their results: %+v", p.ops)
			}
			checkInvariants(new(testing.T), &p.Engine)
			for addr := range p.live {
				if p.life.closed {
					explore.Failf("the pool was closed with a live block")
				}
				wantErr("a free", p.freeDriver(s, addr, uint64(p.bytes[addr])))
			}
			if !p.life.closed {
				closes()
			}
		}
		list = append(list, newCase("driverOrder", name, setup, end, threads...))
	}
	add := func(name string, limit int64, live int, change func(*Config), finish func(), threads ...func()) {
		addTo(nil, name, limit, live, change, finish, threads...)
	}
	soft := func(c *Config) { c.SoftLimit = 1 }
	crossed := func(n int64) func() {
		return func() {
			if st := p.ready().Stats(); st.SoftCrossings != n {
				explore.Failf("the soft limit was crossed %d times", st.SoftCrossings)
			}
		}
	}
	budget := func(n int64) func(*Config) { return func(c *Config) { c.Budget = NewBudget("explored", n) } }
	charged := func() {
		if n := p.config.Budget.Reserved(); n != p.liveBytes() {
			explore.Failf("the budget has %d bytes, and %d are live", n, p.liveBytes())
		}
	}
	add("two allocations", 2, 0, nil, nil, alloc(1), alloc(1))
	add("two allocations, and room for one", 1, 0, nil, nil, alloc(1), alloc(1))
	add("three allocations, and room for two", 3, 1, nil, nil, alloc(1), alloc(1), alloc(1))
	add("two sizes", 3, 0, nil, nil, alloc(2, 1), alloc(1, 2))
	add("a free and an allocation", 1, 1, nil, nil, alloc(1), free(0))
	add("frees and allocations", 2, 2, nil, nil, alloc(1), alloc(1), free(0, 1))
	add("the limit falls", 2, 0, nil, nil, alloc(1), alloc(1), setLimit(1))
	add("the limit falls, and a free", 2, 1, nil, nil, alloc(1), setLimit(1), free(0))
	add("a lower limit is refused", 3, 2, nil, nil, alloc(1), setLimit(1))
	add("a lower limit is refused, and two allocations", 4, 2, nil, nil, alloc(1), alloc(1), setLimit(1))
	add("a lower limit is refused, and an allocation without a stream", 3, 2, nil, nil, any, setLimit(1))
	add("allocations with and without a stream, and a free", 2, 2, nil, nil, any, alloc(1), free(0, 1))
	add("Close that is refused, and an allocation without a stream", 2, 0, nil, nil, any, alloc(1), closes)
	add("the limit falls and rises", 2, 0, nil, nil, alloc(1), func() { setLimit(1)(); setLimit(2)() }, alloc(1))
	add("the soft limit", 3, 0, soft, crossed(1), alloc(1), alloc(1))
	add("the soft limit, three times", 3, 0, soft, crossed(1), alloc(1), alloc(1), alloc(1))
	add("the soft limit, and a free", 3, 1, soft, nil, alloc(1), free(0))
	add("a budget", 3, 0, budget(1), charged, alloc(1), alloc(1))
	add("a budget, and a free", 3, 1, budget(1), charged, alloc(1), free(0))
	crowd := func() { // callers have met lately, and the pool has held two bytes
		for range 2 {
			addr, err := p.allocDriver(nil, s, 1)
			wantErr("before", err)
			defer func() { wantErr("before", p.freeDriver(s, addr, 1)); p.table.met() }()
		}
	}
	addTo(crowd, "callers take turns", 2, 0, nil, nil, alloc(1), alloc(1))
	addTo(crowd, "callers take turns, and the limit falls", 2, 0, nil, nil, alloc(1), alloc(1), setLimit(1))
	addTo(crowd, "callers take turns, and frees", 2, 0, nil, nil, pair, pair)
	add("Close and an allocation", 1, 0, nil, nil, alloc(1), closes)
	add("Close and two allocations", 2, 0, nil, nil, alloc(1, 1), closes)
	add("Close that a block prevents, and an allocation", 2, 1, nil, nil, alloc(1), closes)
	add("Close and a pair", 1, 0, nil, nil, pair, closes)
	add("Close and two pairs", 2, 0, nil, nil, pair, pair, closes)
	add("Close and a free", 1, 1, nil, nil, free(0), closes)
	add("CloseForce and a free", 1, 1, nil, func() { delete(p.live, p.list[0]) }, free(0), func() {
		wantErr("CloseForce", p.CloseForce(nil))
		p.source.ended = true
	})
	add("two frees of a block", 1, 1, nil, func() {
		if delete(p.live, p.list[0]); frees != 1 {
			explore.Failf("%d of two frees of a block succeed", frees)
		}
	}, twice(0), twice(0))
	add("two frees of a block, and an allocation", 2, 2, nil, func() {
		if delete(p.live, p.list[0]); frees != 1 {
			explore.Failf("%d of two frees of a block succeed", frees)
		}
	}, twice(0), twice(0), free(1))
	return list
}
