//go:build explored

package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// A request that goroutines search a full pool for fails only if at some moment all memory within the limit
// was live.
func fullCases() (list []explore.Case) {
	var p *pool
	alloc := func() {
		p.timed('a', 1, func() bool {
			_, err := p.alloc(nil)
			wantErr("alloc", err, poolrt.ErrLimit)
			return err == nil
		})
	}
	free := func(n ...int) func() {
		return func() {
			for _, i := range n {
				p.timed('f', 1, func() bool { p.free(p.list[i]); return true })
			}
		}
	}
	setLimit := func(n int64) func() { return func() { p.setLimit(n) } }
	trim := func() { _, err := p.Trim(0); wantErr("Trim", err) }
	// addTo adds a scenario of a pool that has failed once, when all units were live, or by a function. far:
	// chunks that are those of another processor.
	addTo := func(fail func(), name string, limit int64, chunk int64, live int, far uint64, threads ...func()) {
		setup := func() {
			p = newPool(sharedPool, limit, func(c *Config) {
				c.ChunkSize, c.Ladder = chunk, []Rung{TrimRung{}, ErrorRung{}}
			})
			if fail != nil {
				p.fill(live)
				fail()
				p.begun()
				return
			}
			p.fill(int(limit))
			if _, err := p.alloc(nil); err == nil || !p.fullness.full.Load() {
				explore.Failf("the pool is not full")
			}
			for _, addr := range p.list[live:] {
				p.free(addr)
			}
			p.blocks.step("far", func(s *few) { s.far |= far })
			p.begun()
		}
		finish := func() {
			p.rest()
			if !p.explained(0, int64(live), limit, map[[3]int64]bool{}) {
				explore.Failf("no order of the operations explains their results: %+v", p.ops)
			}
		}
		list = append(list, newCase("full", name, setup, finish, threads...))
	}
	add := func(name string, limit int64, chunk int64, live int, far uint64, threads ...func()) {
		addTo(nil, name, limit, chunk, live, far, threads...)
	}
	add("a free", 2, 2, 2, 0, alloc, free(0))
	add("two requests and a free", 2, 2, 2, 0, alloc, alloc, free(0))
	add("two requests and two frees", 2, 2, 2, 0, both(alloc, alloc), free(0, 1))
	add("a block of another processor", 2, 1, 1, 2, alloc, alloc)
	add("a chunk moves, and a free", 3, 1, 2, 4, alloc, alloc, free(0))
	add("two chunks move", 3, 1, 1, 6, both(alloc, alloc), alloc)
	add("a chunk goes", 2, 1, 1, 0, alloc, trim)
	add("a chunk goes, and two requests", 2, 1, 1, 0, alloc, alloc, trim)
	add("a chunk goes, and another becomes free", 2, 1, 1, 0, both(alloc, alloc), trim, free(0))
	add("a chunk moves, and goes", 2, 1, 1, 2, alloc, alloc, trim)
	add("the limit rises", 1, 1, 1, 0, alloc, setLimit(2))
	add("the limit rises, and two requests", 1, 1, 1, 0, alloc, alloc, setLimit(2))
	add("a chunk comes, and has room", 2, 2, 2, 0, alloc, both(setLimit(4), alloc))
	// After SetLimit the pool may have room, so the other caller does not search.
	add("a chunk moves, and has room", 4, 2, 2, 2, alloc, both(setLimit(4), alloc))
	add("two chunks come", 2, 2, 2, 0, alloc, both(setLimit(6), alloc, alloc))
	wide := func() { // the pool is searched although it can grow: a larger request has failed
		if _, err := p.ready().Alloc(4, 1, 1); err == nil || !p.fullness.full.Load() {
			explore.Failf("the pool is not full")
		}
	}
	addTo(wide, "a chunk comes that the limit has room for", 4, 2, 2, 0, alloc, alloc)
	addTo(wide, "two chunks come that the limit has room for", 5, 2, 2, 0, alloc, both(alloc, alloc))
	add("the limit falls", 2, 1, 1, 0, alloc, setLimit(1))
	add("the limit falls and rises", 2, 1, 1, 0, alloc, both(setLimit(1), setLimit(2)))
	add("the limit falls, and a free", 2, 1, 2, 0, alloc, setLimit(1), free(0))
	return list
}
