package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay/harness"
	"github.com/poolgen/poolgen/spec"
)

// Row is the outcome of one trace in one pool. Its JSON form is one line of replay --format json.
type Row struct {
	Pool          string  `json:"pool"`
	Trace         string  `json:"trace"`
	Allocs        int64   `json:"allocs"`                 // requests served
	Frees         int64   `json:"frees"`                  // of blocks that were served
	Failures      int64   `json:"failures"`               // requests not served
	PeakLive      int64   `json:"peak_live_bytes"`        // of the requests served, as the trace has them
	PeakReserved  int64   `json:"peak_reserved_bytes"`    // of the pool
	InUse         int64   `json:"in_use_bytes,omitempty"` // with Options.Busy: what a pool has to reserve that makes nobody wait
	Ratio         float64 `json:"ratio"`                  // PeakReserved over PeakLive; 0 if nothing was served
	NSPerOp       float64 `json:"ns_per_op"`              // all calls of Alloc and Free, median of the runs
	PoolNSPerOp   float64 `json:"pool_ns_per_op"`         // without the time below the pool: calls of its source, queries of streams
	DriverNSPerOp float64 `json:"driver_ns_per_op"`       // those
	DriverCalls   int64   `json:"driver_calls"`           // how many they are
	FirstFailure  int     `json:"first_failure_line"`     // line of the first request that was not served; 0: all were
	Driver        string  `json:"driver,omitempty"`       // library of the driver; "simulator" for the simulated one

	// Failure tells where and why the first request was not served; empty if there was none.
	Failure string `json:"-"`
	// Varied: the runs differed, and PeakReserved is the largest. Pools that trim by the clock, goroutines and streams may cause that.
	Varied bool `json:"-"`
	// Skipped tells why the pool does not work on this machine; all other fields are empty then.
	Skipped string `json:"-"`
	// Note tells that the allocator in force is not the one that the pool file names; else it is empty.
	Note string `json:"-"`
	// Reserved is the most bytes that the pool had reserved in each of Options.Columns columns of the trace.
	Reserved []int64 `json:"-"`
}

// Options say how a trace is run.
type Options = harness.Options

// UsualRuns is how often a trace is run, each time through a fresh pool: the median of three ignores one outlier.
const UsualRuns = 3

// Run runs a trace through fresh pools, in a process of its own.
func (p *Program) Run(ctx context.Context, pool string, trace *Trace, o Options) (Row, error) {
	tape, out := filepath.Join(p.Temp, "tape"), filepath.Join(p.Temp, "result")
	if err := os.WriteFile(tape, trace.Encode(), 0o644); err != nil {
		return Row{}, err
	}
	options, err := json.Marshal(o)
	if err != nil {
		return Row{}, err
	}
	if err := p.Program.Run(ctx, pool, tape, string(options), out); err != nil {
		return Row{}, fmt.Errorf("pool %q with %s: %w", pool, trace.Name, err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return Row{}, err
	}
	var result harness.Result
	if err := json.Unmarshal(data, &result); err != nil {
		return Row{}, fmt.Errorf("result of pool %q: %w", pool, err)
	}
	row := rowOf(pool, trace, result)
	if o.Busy > 0 && row.Skipped == "" {
		row.InUse = trace.inUse(o.Busy)
	}
	return row, nil
}

func rowOf(pool string, trace *Trace, result harness.Result) Row {
	row := Row{
		Pool: pool, Trace: trace.Name,
		Allocs: result.Allocs, Frees: result.Frees, Failures: result.Failures,
		PeakLive: result.PeakLive, PeakReserved: result.PeakReserved,
		NSPerOp: result.NSPerOp, PoolNSPerOp: result.NSPerOp - result.DriverNSPerOp, DriverNSPerOp: result.DriverNSPerOp, DriverCalls: result.DriverCalls,
		Driver: result.Driver, Varied: result.Varied, Skipped: result.Skipped, Note: result.Note, Reserved: result.Reserved,
	}
	if row.PeakLive > 0 {
		row.Ratio = float64(row.PeakReserved) / float64(row.PeakLive)
	}
	if result.FirstFailure != "" {
		row.FirstFailure = trace.Line(result.FailedEvent)
		row.Failure = fmt.Sprintf("%s:%d: pool %q: %s", trace.Name, row.FirstFailure, pool, result.FirstFailure)
	}
	return row
}

// Unfit returns why a pool cannot take a trace on that many goroutines; "" if it can.
func Unfit(pool *spec.Pool, goroutines int) string {
	switch {
	case pool.Allocator == spec.NoAllocator:
		return "it hands out numbers, not memory"
	case pool.Allocator.Memory() == spec.TileMemory:
		return "it hands out tiles for textures, and a trace has bytes"
	case !pool.Frees():
		return string(pool.Suballocator) + " has no free of single blocks"
	case goroutines > 1 && pool.Concurrency == spec.Unlocked:
		return "with concurrency none it is for one goroutine at a time"
	}
	return ""
}

// Unwaiting returns the plan without the rungs drain and wait in its ladders. On one goroutine nobody could free anything while it waits, and
// several may wait for each other: each failure would take the whole wait_timeout.
func Unwaiting(plan *spec.Plan) *spec.Plan {
	without := *plan
	without.Pools = nil
	for _, pool := range plan.Pools {
		var rungs []spec.Rung
		for _, rung := range pool.OnExhausted {
			if rung.Kind != spec.RungDrain && rung.Kind != spec.RungWait {
				rungs = append(rungs, rung)
			}
		}
		pool.OnExhausted = rungs
		without.Pools = append(without.Pools, pool)
	}
	return &without
}
