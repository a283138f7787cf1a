//go:build explored

package poolimpl

import (
	"context"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// A pool that grows while others do the same, or return memory, refuses a request only if at some moment
// neither pool nor source had memory for it.
func growthCases() (list []explore.Case) {
	var p *pool
	alloc := func() {
		p.timed('a', 1, func() bool {
			_, err := p.alloc(nil)
			wantErr("alloc", err, poolrt.ErrLimit, poolrt.ErrOutOfMemory)
			return err == nil
		})
	}
	waits := func() {
		if !p.timed('a', 1, func() bool { _, err := p.alloc(context.Background()); return err == nil }) {
			explore.Failf("a waiter fails")
		}
	}
	free := func(i int) { p.timed('f', 1, func() bool { p.free(p.list[i]); return true }) }
	setLimit := func(n int64) func() { return func() { p.setLimit(n) } }
	trim := func() { _, err := p.Trim(0); wantErr("Trim", err) }
	for _, k := range []kind{lockedPool, sharedPool} {
		subject := []string{"growthLocked", "growthShared"}[k]
		// add adds a scenario of a pool with a limit whose source has so much memory, in chunks of one unit,
		// of which some are live.
		add := func(name string, limit, has int64, live int, threads ...func()) {
			setup := func() {
				p = newPool(k, limit, func(c *Config) {
					c.ChunkSize, c.Ladder = 1, []Rung{TrimRung{}, ErrorRung{}}
				})
				p.source.has = has
				p.fill(live)
				p.begun()
			}
			finish := func() {
				p.rest()
				if !p.explained(0, int64(live), min(limit, has), map[[3]int64]bool{}) {
					explore.Failf("no order of the operations explains their results: %+v", p.ops)
				}
			}
			list = append(list, newCase(subject, name, setup, finish, threads...))
		}
		add("two grow", 2, 2, 0, alloc, alloc)
		add("three grow, and the limit has room for two", 2, 3, 0, alloc, alloc, alloc)
		add("three grow, and there is memory for two", 3, 2, 0, alloc, alloc, alloc)
		add("one grows, and the limit falls", 2, 2, 1, alloc, setLimit(1))
		add("one grows, the limit falls and rises", 2, 2, 1, alloc, func() { p.setLimit(1); p.setLimit(2) })
		add("two grow, and the limit falls", 2, 2, 0, alloc, alloc, setLimit(1))
		add("a chunk goes", 2, 2, 1, alloc, func() { free(0); trim() })
		add("a chunk goes that the limit needs", 1, 2, 1, alloc, func() { free(0); trim() })
		add("a chunk goes that the source needs", 2, 1, 1, alloc, func() { free(0); trim() })
		add("a chunk goes that the limit needs, and two grow", 1, 2, 1, alloc, alloc, func() { free(0); trim() })
		add("a chunk goes, and one waits", 2, 1, 1, waits, func() { free(0); trim() })
		add("a chunk goes, one waits and one does not", 2, 2, 2, waits, func() { free(0); trim() }, func() { free(1); alloc() })
	}
	return list
}
