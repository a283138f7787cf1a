package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

const replayLong = `replay runs recorded allocation traces through the pools of a pool file. The pools are generated, compiled and called
event by event; nothing is modelled, and no file of yours is changed.

A trace is CSV, optionally compressed by gzip, with the header op,id,bytes,stream,time_us. op is a (alloc) or f (free); lines that
start with # are comments. A snapshot of PyTorch with a history and a log of RMM are traces as well; their content tells. Pools of spans take a request rounded up to whole items; pools of blocks (fixed) serve one block for a
request, and fail those that are larger than a block. The events run one after the other on one goroutine, each trace three times through a
fresh pool: ns_per_op is the median. The memory is reserved and never touched, except by pools with zero: always. The rung
wait is left out of the ladder, because nobody else could free anything meanwhile.

A trace with several stream numbers runs on as many streams in pools ordered with streams: AllocOn and FreeOn (ordering stream), Alloc and FreeAsync
(deferred). The streams have no work beside what the pool gives them. In other pools the numbers mean nothing.

With --goroutines, so many share the events: by streams, if the trace has as many, else by blocks. They keep an order only where one frees what another
allocates, so runs differ, and peak_live_bytes is what the pool saw. ns_per_op is then the time of one operation over all of them.

What the pool's source and the driver take, for chunks, pages and questions about streams, is counted and timed apart: driver_calls and driver_ns_per_op, for
host memory the calls of the operating system; pool_ns_per_op is the rest of ns_per_op. A pool that cannot be had here, for want of a driver, is left
out, and the reason given. Built with -tags cudasim (GOFLAGS=-tags=cudasim poolgen replay), such pools run on the simulated driver, whose times
say nothing about a GPU.

With --format json, standard output holds one JSON object for each pool and trace, on a line of its own, and nothing else:
pool, trace, allocs and frees (those served), failures, peak_live_bytes (as requested), peak_reserved_bytes, ratio (of the second to the
first), ns_per_op, pool_ns_per_op, driver_ns_per_op, driver_calls, first_failure_line (of the trace, in a snapshot of PyTorch the number of the event; 0 without one), driver (the library; simulator for
the simulated one).`

// replayOptions are the flags of replay.
type replayOptions struct {
	pools      []string
	traces     []string
	goroutines int
	chart      string
	format     *format
}

func (p *Process) replayCommand() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [FILE] --trace TRACE",
		Short: "Run recorded allocation traces through the generated pools",
		Long:  replayLong,
		Example: "  poolgen replay poolgen.yaml --trace run.csv.gz\n  poolgen replay poolgen.yaml --pool Scratch --trace a.csv --trace b.csv --format json\n" +
			"  poolgen replay --trace run.csv --chart run.svg\n  poolgen replay --trace run.csv --goroutines 4",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().StringArrayVar(&o.pools, "pool", nil, "replay this pool only; may be repeated (default: the one that the trace was recorded of by RecordPool, else all that can take a trace)")
	cmd.Flags().StringArrayVar(&o.traces, "trace", nil, "trace file; may be repeated")
	cmd.Flags().IntVar(&o.goroutines, "goroutines", 1, "how many share the events")
	cmd.Flags().StringVar(&o.chart, "chart", "", "write a chart of live and reserved bytes over time to this file, as SVG")
	o.format = formatFlag(cmd, "text", "json")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("pool", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.completePools(first(args)), cobra.ShellCompDirectiveNoFileComp
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.replay(cmd.Context(), args, o) }
	return cmd
}

// errNoTrace is the failure of a command that needs a trace.
var errNoTrace = errors.New("name a trace: --trace run.csv.gz, as Record of package runtime writes it with the tag pooltrace")

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (p *Process) replay(ctx context.Context, args []string, o replayOptions) error {
	switch {
	case len(o.traces) == 0:
		return errNoTrace
	case o.goroutines < 1:
		return fmt.Errorf("--goroutines must be above 0")
	case o.goroutines > 1 && o.chart != "":
		return fmt.Errorf("--chart shows the events in their order, which several goroutines do not keep: leave out one of --chart and --goroutines")
	}
	traces, err := p.readTraces(o.traces)
	if err != nil {
		return err
	}
	paths, err := p.poolFiles(args)
	if err != nil {
		return err
	}
	units, found, err := p.load(paths)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		units[0].plan = replay.Unwaiting(units[0].plan)
		found = p.compile(units)
	}
	// Standard output is for rows alone, whatever the format.
	if err := p.findings(textFormat, found); err != nil {
		return err
	}
	if err := p.compare(textFormat, units...); err != nil {
		return err
	}
	if len(o.pools) == 0 {
		o.pools = p.recordedPools(units[0], traces)
	}
	pools, err := p.selectPools(units[0], o)
	if err != nil {
		return err
	}
	rows, err := p.measure(ctx, units[0], pools, traces, o)
	if err != nil {
		return err
	}
	if o.chart != "" {
		if err := p.saveText(o.chart, replayChart(traces, rows)); err != nil {
			return err
		}
	}
	if o.format.value == textFormat {
		p.table(rows)
	}
	return nil
}

// readTraces reads files of traces. What a trace does not show is said on standard error.
func (p *Process) readTraces(names []string) ([]*replay.Trace, error) {
	progress := p.progress()
	defer progress.stop()
	var traces []*replay.Trace
	for _, name := range names {
		progress.say("read %s", name)
		file, err := os.Open(p.path(name))
		if err != nil {
			return nil, err
		}
		read, err := replay.ReadTraces(name, file)
		file.Close()
		if err != nil {
			return nil, err
		}
		for _, trace := range read {
			for _, note := range trace.Notes {
				p.note("%s", note)
			}
		}
		traces = append(traces, read...)
	}
	return traces, nil
}

// recordedPools are the pools of the file that all traces say they were recorded of, which it says; none if there are no such.
func (p *Process) recordedPools(u *unit, traces []*replay.Trace) (names []string) {
	for i := range u.plan.Pools {
		pool := &u.plan.Pools[i]
		full := u.plan.Package + "." + pool.Name
		if !slices.ContainsFunc(traces, func(t *replay.Trace) bool { return !slices.Contains(t.Pools, full) }) {
			names = append(names, pool.Name)
			p.note("pool %q is replayed, as the trace was recorded of %s; --pool names others", pool.Name, full)
		}
	}
	return names
}

// selectPools returns the pools named, or else all that can take a trace. What it leaves out it says.
func (p *Process) selectPools(u *unit, o replayOptions) ([]spec.Pool, error) {
	names := o.pools
	named := len(names) > 0
	if !named {
		names = []string{""} // all
	}
	var selected []spec.Pool
	for _, name := range names {
		pools, err := u.pools(name)
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
		return nil, fmt.Errorf("%s has no pool that can take a trace", u.name)
	}
	return selected, nil
}

func (p *Process) note(text string, args ...any) {
	fmt.Fprintf(p.Stderr, "note: "+text+"\n", args...)
}

// measure builds the program and runs every trace through every pool. In JSON, each row is written as soon as it is there.
func (p *Process) measure(ctx context.Context, u *unit, pools []spec.Pool, traces []*replay.Trace, o replayOptions) (rows []replay.Row, err error) {
	temp, err := os.MkdirTemp("", "poolgen-replay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	progress := p.progress()
	defer progress.stop()
	progress.say("build %d pools", len(pools))
	program, err := replay.Build(ctx, p.gocmdFor(pools), p.Dir, temp, u.changes, u.plan, pools)
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
		return nil, fmt.Errorf("%s has no pool that can be had here", u.name)
	}
	return rows, nil
}

// gocmdFor runs the Go toolchain for pools: on the simulated driver, if this program was built with that.
func (p *Process) gocmdFor(pools []spec.Pool) gomod.Go {
	for i := range pools {
		if pools[i].Allocator.NeedsDriver() && cuda.LibraryPath() == simulator {
			return p.gocmd().WithTag("cudasim")
		}
	}
	return p.gocmd()
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
