package cli

import (
	"fmt"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

// recordedPools returns the pools of the file that all traces name as their source, if any, and prints their names.
func (p *Process) recordedPools(u *workspace.Unit, traces []*replay.Trace) (names []string) {
	for i := range u.Plan.Pools {
		pool := &u.Plan.Pools[i]
		full := u.Plan.Package + "." + pool.Name
		if !slices.ContainsFunc(traces, func(t *replay.Trace) bool { return !slices.Contains(t.Pools, full) }) {
			names = append(names, pool.Name)
			p.note("pool %q is replayed, as the trace was recorded of %s; --pool names others", pool.Name, full)
		}
	}
	return names
}

// selectPools returns the pools named, or else all that can take a trace. It prints what it leaves out.
func (p *Process) selectPools(u *workspace.Unit, o replayOptions) ([]spec.Pool, error) {
	names := o.pools
	named := len(names) > 0
	if !named {
		names = []string{""} // all
	}
	var selected []spec.Pool
	for _, name := range names {
		pools, err := u.Pools(name)
		if err != nil {
			return nil, err
		}
		for _, pool := range pools {
			switch why := replay.Unfit(pool, o.goroutines); {
			case why != "" && named:
				return nil, fmt.Errorf("pool %q cannot take a trace: %s", pool.Name, why)
			case why != "":
				p.note("pool %q is left out: %s", pool.Name, why)
				continue
			}
			if pool.Zero == spec.ZeroAlways {
				p.note("pool %q touches its memory, because of zero: always", pool.Name)
			}
			selected = append(selected, *pool)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("%s has no pool that can take a trace", u.Name)
	}
	return selected, nil
}
