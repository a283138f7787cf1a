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
	Pool         string  `json:"pool"`
	Trace        string  `json:"trace"`
	Allocs       int64   `json:"allocs"`              // requests served
	Frees        int64   `json:"frees"`               // of blocks that were served
	Failures     int64   `json:"failures"`            // requests not served
	PeakLive     int64   `json:"peak_live_bytes"`     // of the requests served, as the trace has them
	PeakReserved int64   `json:"peak_reserved_bytes"` // of the pool
	Ratio        float64 `json:"ratio"`               // PeakReserved over PeakLive; 0 if nothing was served
	NSPerOp      float64 `json:"ns_per_op"`           // all calls of Alloc and Free, median of three runs

	// Failure tells where and why the first request was not served; empty if there was none.
	Failure string `json:"-"`
	// Varied: the three runs had different peaks of reserved bytes, and PeakReserved is the largest. Pools
	// that trim by the clock may do so.
	Varied bool `json:"-"`
}

// Run runs a trace through a fresh pool, in a process of its own.
func (p *Program) Run(ctx context.Context, pool string, trace *Trace) (Row, error) {
	tape, out := filepath.Join(p.Temp, "tape"), filepath.Join(p.Temp, "result")
	if err := os.WriteFile(tape, trace.tape(), 0o644); err != nil {
		return Row{}, err
	}
	if err := p.Program.Run(ctx, pool, tape, out); err != nil {
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
	return rowOf(pool, trace, result), nil
}

func rowOf(pool string, trace *Trace, result harness.Result) Row {
	row := Row{
		Pool: pool, Trace: trace.Name,
		Allocs: result.Allocs, Frees: result.Frees, Failures: result.Failures,
		PeakLive: result.PeakLive, PeakReserved: result.PeakReserved, NSPerOp: result.NSPerOp,
		Varied: result.Varied,
	}
	if row.PeakLive > 0 {
		row.Ratio = float64(row.PeakReserved) / float64(row.PeakLive)
	}
	if result.FirstFailure != "" {
		row.Failure = fmt.Sprintf("%s:%d: pool %q: %s", trace.Name, trace.Line(result.FailedEvent), pool, result.FirstFailure)
	}
	return row
}

// Unfit returns why a pool cannot take a trace; "" if it can.
func Unfit(pool *spec.Pool) string {
	switch {
	case pool.Allocator == spec.NoAllocator:
		return "it hands out numbers, not memory"
	case pool.Suballocator == spec.Bump:
		return "bump has no free of single blocks"
	case !hostAddressable[pool.Allocator]:
		return fmt.Sprintf("replay does not drive pools of allocator %s yet", pool.Allocator)
	}
	return ""
}

var hostAddressable = map[spec.Allocator]bool{spec.Host: true, spec.Pinned: true, spec.Managed: true, spec.Custom: true}

// Unwaiting returns the plan without the rung wait in its ladders: a replay has one goroutine, so that nobody
// could free anything while it waits, and each failure would take the whole wait_timeout.
func Unwaiting(plan *spec.Plan) *spec.Plan {
	without := *plan
	without.Pools = nil
	for _, pool := range plan.Pools {
		var rungs []spec.Rung
		for _, rung := range pool.OnExhausted {
			if rung.Kind != spec.RungWait {
				rungs = append(rungs, rung)
			}
		}
		pool.OnExhausted = rungs
		without.Pools = append(without.Pools, pool)
	}
	return &without
}
