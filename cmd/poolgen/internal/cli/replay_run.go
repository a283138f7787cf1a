package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

// measure builds the program and runs every trace through every pool. In JSON, each row is written as soon as it is there.
func (p *Process) measure(ctx context.Context, u *workspace.Unit, pools []spec.Pool, traces []*replay.Trace, o replayOptions) (rows []replay.Row, err error) {
	temp, err := os.MkdirTemp("", "poolgen-replay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	progress := p.progress()
	defer progress.stop()
	progress.say("build %d pools", len(pools))
	program, err := replay.Build(ctx, p.gocmdFor(pools), p.Dir, temp, u.Changes, u.Plan, pools)
	if err != nil {
		return nil, err
	}
	run := replay.Options{Runs: replay.UsualRuns, Goroutines: o.goroutines}
	if o.chart != "" {
		run.Columns = chartColumns
	}
	skipped := map[string]bool{}
	for _, pool := range pools {
		for _, trace := range traces {
			if skipped[pool.Name] {
				continue
			}
			progress.say("pool %s, trace %s, %d events", pool.Name, trace.Name, trace.Events())
			row, err := program.Run(ctx, pool.Name, trace, run)
			if err != nil {
				return nil, err
			}
			if skipped[pool.Name] = row.Skipped != ""; skipped[pool.Name] {
				p.note("pool %q is left out: %s", pool.Name, row.Skipped)
				continue
			}
			if err := p.remark(&pool, trace, row, o.goroutines); err != nil {
				return nil, err
			}
			if o.format.value != textFormat {
				if err := json.NewEncoder(p.Stdout).Encode(row); err != nil {
					return nil, err
				}
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no pool that can be had here", u.Name)
	}
	return rows, nil
}

// remark says what the figures of a row do not show.
func (p *Process) remark(pool *spec.Pool, trace *replay.Trace, row replay.Row, goroutines int) error {
	byClock := pool.Trim != nil && pool.Trim.Idle > 0
	switch {
	case row.Varied && byClock:
		p.note("pool %q trims by the clock: of three runs of %s, the largest peak is given", row.Pool, row.Trace)
	case row.Varied && (goroutines > 1 || trace.Streams > 1 && pool.Streams()):
		p.note("pool %q: three runs of %s were not alike, and the largest peak is given", row.Pool, row.Trace)
	case row.Varied && pool.Allocator.NeedsDriver():
		p.note("pool %q: what fits depends on the addresses that the driver gives; of three runs of %s, the largest peak is given", row.Pool, row.Trace)
	case row.Varied:
		return fmt.Errorf("pool %q reserved different amounts in three runs of %s: this is a fault of poolgen", row.Pool, row.Trace)
	}
	if row.Note != "" {
		p.note("pool %q: %s", row.Pool, row.Note)
	}
	if row.Failure != "" {
		p.note("not served: %s, the first at %s", figure.Count(row.Failures, "request"), row.Failure)
	}
	return nil
}
