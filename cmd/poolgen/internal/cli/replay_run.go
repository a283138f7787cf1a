package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

// measure runs every trace through every pool. In JSON, each row is written as soon as it is there.
func (p *Process) measure(ctx context.Context, u *workspace.Unit, pools []spec.Pool, traces []*replay.Trace, o replayOptions) (rows []replay.Row, err error) {
	progress := p.progress()
	defer progress.stop()
	job := replay.Job{
		Go: p.gocmdFor(pools), Dir: p.Dir, Changes: u.Changes, Plan: u.Plan, Pools: pools, Traces: traces,
		Options: replay.Options{Runs: replay.UsualRuns, Goroutines: o.goroutines, Busy: o.busy},
	}
	if o.chart != "" {
		job.Options.Columns = chartColumns
	}
	err = job.Measure(ctx, progress.say, func(pool *spec.Pool, trace *replay.Trace, row replay.Row) error {
		if row.Skipped != "" {
			p.note("pool %q is left out: %s", pool.Name, row.Skipped)
			return nil
		}
		if err := p.remark(pool, trace, row, o.goroutines); err != nil {
			return err
		}
		rows = append(rows, row)
		if o.format.value == textFormat {
			return nil
		}
		return json.NewEncoder(p.Stdout).Encode(row)
	})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s has no pool that can be had here", u.Name)
	}
	return rows, err
}

// remark notes what the figures of a row do not show.
func (p *Process) remark(pool *spec.Pool, trace *replay.Trace, row replay.Row, goroutines int) error {
	byClock := pool.Trim != nil && pool.Trim.Idle > 0
	switch {
	case row.Varied && byClock:
		p.note("pool %q trims by the clock: of three runs of %s, the largest peak is given", row.Pool, row.Trace)
	case row.Varied && (goroutines > 1 || trace.Streams > 1 && pool.Streams()):
		p.note("pool %q: three runs of %s were not alike, and the largest peak is given", row.Pool, row.Trace)
	case row.Varied && pool.NeedsDriver():
		p.note("pool %q: what fits depends on the addresses that the driver gives; of three runs of %s, the largest peak is given", row.Pool, row.Trace)
	case row.Varied:
		return fmt.Errorf("pool %q reserved different amounts in three runs of %s: this is a fault of poolgen", row.Pool, row.Trace)
	}
	if goroutines > 1 && pool.Shared() {
		p.note("pool %q is sharded: peak live is its own estimate, and so is the ratio", row.Pool)
	}
	if row.Note != "" {
		p.note("pool %q: %s", row.Pool, row.Note)
	}
	if row.Failure != "" {
		p.note("not served: %s, the first at %s", figure.Count(row.Failures, "request"), row.Failure)
	}
	return nil
}
