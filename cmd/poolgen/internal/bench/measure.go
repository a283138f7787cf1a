package bench

import (
	"context"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

// Job describes the pools to measure.
type Job struct {
	Go      gomod.Go
	Dir     string       // current directory, see [program.Build]
	Changes emit.Changes // that generate writes for the plan
	Plan    *spec.Plan
	Pools   []spec.Pool // of the plan
	Options Options
}

// Measure builds the pools and measures each. It announces each step by say, with the arguments of fmt.Printf, reports by note why something is not
// measured, and passes each result to each as soon as it is there. An error of each ends the job. Nothing remains on disk.
//
// Cost: that of [program.Build], then a process for each pool, one after the other.
func (j *Job) Measure(ctx context.Context, say func(format string, args ...any), note func(string), each func(*spec.Pool, Result) error) error {
	temp, err := os.MkdirTemp("", "poolgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	say("build %s", figure.Count(int64(len(j.Pools)), "pool"))
	program, why, err := Build(ctx, j.Go, j.Dir, temp, j.Changes, j.Plan, j.Pools)
	if err != nil {
		return err
	}
	if why != "" {
		note(why)
	}
	for i := range j.Pools {
		pool := &j.Pools[i]
		say("pool %s, %d of %d%v", pool.Name, i+1, len(j.Pools), figure.Left{Done: i, All: len(j.Pools)})
		r, err := program.Run(ctx, pool.Name, j.Options)
		if err == nil {
			err = each(pool, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
