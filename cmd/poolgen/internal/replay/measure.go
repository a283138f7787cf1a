package replay

import (
	"context"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

// Job describes pools, and the traces to run through each of them.
type Job struct {
	Go      gomod.Go
	Dir     string       // current directory, see [program.Build]
	Changes emit.Changes // that generate writes for the plan
	Plan    *spec.Plan
	Pools   []spec.Pool // of the plan
	Traces  []*Trace
	Options Options
}

// Measure builds the pools and runs the traces through each. It announces each step by say, with the arguments of fmt.Printf, and passes each row to
// each as soon as it is there. An error of each ends the job. A pool that does not work on this machine has one row, which says so. Nothing remains
// on disk.
//
// Cost: that of [program.Build], then a process for each row, one after the other.
func (j *Job) Measure(ctx context.Context, say func(format string, args ...any), each func(*spec.Pool, *Trace, Row) error) error {
	temp, err := os.MkdirTemp("", "poolgen-replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	say("build %s", figure.Count(int64(len(j.Pools)), "pool"))
	program, err := Build(ctx, j.Go, j.Dir, temp, j.Changes, j.Plan, j.Pools)
	if err != nil {
		return err
	}
	for i := range j.Pools {
		pool := &j.Pools[i]
		for k, trace := range j.Traces {
			done, all := i*len(j.Traces)+k, len(j.Pools)*len(j.Traces)
			say("pool %s, trace %s, %s: %d of %d%v", pool.Name, trace.Name, figure.Count(int64(trace.Events()), "event"), done+1, all, figure.Left{Done: done, All: all})
			row, err := program.Run(ctx, pool.Name, trace, j.Options)
			if err == nil {
				err = each(pool, trace, row)
			}
			if err != nil {
				return err
			}
			if row.Skipped != "" {
				break
			}
		}
	}
	return nil
}
