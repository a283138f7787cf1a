package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

const benchLong = `Measure the pools of a pool file on this machine, beside other ways to get such blocks, all
in one run: Go's new or make, malloc by a loop in C and by calls from Go (where there is a C
compiler), and for pools of the CUDA driver's memory the driver's own calls. The pools are
generated, compiled and called as your code calls them; no file of yours is changed.

What is measured is the cost of taking and freeing one block: where that many fit the limit, with
100 and with 1,000 blocks live of which any is replaced (in a ring, the oldest; of bump, all
together); with one block live, where all have the same size; in batches of 64; with one thread, and
with as many as there are processors unless the pool is for one goroutine; on a stream, where frees
may come before the work is done. Blocks of many sizes have from 16 B to 64 KiB, or to 16 items, as
far as chunk and limit allow, each octave as often as the others. The first block of a new pool is
measured beside a chunk got in the other ways. Memory is never touched, except by pools with zero:
always. The rung wait is left out of the ladder.

Each figure is a median: the ways take turns, and the next column has the quartiles. With several
threads it is the time of one operation over all of them. The ratio is to the pool: above 1, the
pool is faster. A pool that does not work here, because there is no driver, is skipped, and the
reason is given. Built with -tags cudasim (GOFLAGS=-tags=cudasim poolgen bench), such pools run on
the simulated driver, whose times say nothing about a GPU.

With --format json, standard output holds one JSON object for each figure, on a line of its own, and
nothing else: pool, case (growth, churn, batch), live (blocks of each thread), threads, on_stream,
who (pool, or what it is measured beside), ns, low_ns and high_ns (the quartiles), ratio (to the
pool; 0 without one), least_bytes and most_bytes (of blocks; numbers, for allocator none), driver
(the library; simulator for the simulated one). A pool that is skipped has one line with pool and
skipped.`

// benchOptions are the flags of bench.
type benchOptions struct {
	bench.Options
	pools  []string
	format *format
}

func (p *Process) benchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:               "bench [FILE...]",
		Short:             "Measure the pools of pool files beside malloc, Go and the driver",
		Long:              benchLong,
		Example:           "  poolgen bench\n  poolgen bench poolgen.yaml --pool Vertex --format json",
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().StringArrayVar(&o.pools, "pool", nil, "measure this pool only; may be repeated (default: all)")
	cmd.Flags().IntVar(&o.Turns, "turns", 9, "how often each way is measured")
	cmd.Flags().DurationVar(&o.Span, "span", 10*time.Millisecond, "how long one turn takes")
	o.format = formatFlag(cmd, "the figures", textFormat, jsonFormat)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("pool", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.completePools(first(args)), cobra.ShellCompDirectiveNoFileComp
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.bench(cmd.Context(), args, o) }
	return cmd
}

func (p *Process) bench(ctx context.Context, args []string, o benchOptions) error {
	if o.Turns < 1 || o.Span <= 0 {
		return fmt.Errorf("--turns and --span must be above 0")
	}
	units, err := p.buildToMeasure(ctx, args, false)
	if err != nil {
		return err
	}
	selected, err := chosen(units, o.pools)
	if err != nil {
		return err
	}
	for i, u := range units {
		if len(selected[i]) == 0 {
			continue
		}
		if err := p.benchPools(ctx, u, selected[i], o); err != nil {
			return err
		}
	}
	return nil
}

// chosen returns the named pools of each unit, or all pools.
func chosen(units []*workspace.Unit, names []string) ([][]spec.Pool, error) {
	all := make([][]spec.Pool, len(units))
	missing := slices.Clone(names)
	for i, u := range units {
		for _, pool := range u.Plan.Pools {
			if len(names) == 0 || slices.Contains(names, pool.Name) {
				all[i] = append(all[i], pool)
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == pool.Name })
			}
		}
	}
	if len(missing) == 0 {
		return all, nil
	}
	_, err := units[0].Pools(missing[0])
	if err == nil || len(units) > 1 {
		err = fmt.Errorf("no pool file has a pool %q", missing[0])
	}
	return nil, err
}

// benchPools measures the pools of a unit. The figures of a pool are printed as soon as they are there.
func (p *Process) benchPools(ctx context.Context, u *workspace.Unit, pools []spec.Pool, o benchOptions) error {
	progress := p.progress()
	defer progress.stop()
	noted := map[string]bool{}
	job := bench.Job{Go: p.gocmdFor(pools), Dir: p.Dir, Changes: u.Changes, Plan: u.Plan, Pools: pools, Options: o.Options}
	return job.Measure(ctx, progress.say, func(why string) { p.note("%s", why) }, func(pool *spec.Pool, r bench.Result) error {
		for _, n := range r.Notes {
			if !noted[n] {
				p.note("pool %q: %s", pool.Name, n)
			}
			noted[n] = true
		}
		if o.format.value == textFormat {
			p.benchTable(pool, r)
			return nil
		}
		return p.benchLines(pool.Name, r)
	})
}
