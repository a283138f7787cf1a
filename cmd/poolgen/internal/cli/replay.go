package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/spec"
)

const replayLong = `replay runs recorded allocation traces through the pools of a pool file. The pools are generated, compiled and called
event by event; nothing is modelled, and no file of yours is changed.

A trace is CSV, optionally compressed by gzip, with the header op,id,bytes,stream,time_us. op is a (alloc) or f (free); lines that
start with # are comments. Pools of spans take a request rounded up to whole items; pools of blocks (fixed) serve one block for a
request, and fail those that are larger than a block. The events run one after the other on one goroutine, each trace three times through a
fresh pool: ns_per_op is the median. The memory is reserved and never touched, except by pools with zero: always. The rung
wait is left out of the ladder, because nobody else could free anything meanwhile.

With --format json, standard output holds one JSON object for each pool and trace, on a line of its own, and nothing else:
pool, trace, allocs and frees (those served), failures, peak_live_bytes (as requested), peak_reserved_bytes, ratio (of the second to the
first), ns_per_op.`

// replayOptions are the flags of replay.
type replayOptions struct {
	pools  []string
	traces []string
	format *format
}

func (p *Process) replayCommand() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:               "replay [FILE] --trace TRACE",
		Short:             "Run recorded allocation traces through the generated pools",
		Long:              replayLong,
		Example:           "  poolgen replay poolgen.yaml --trace run.csv.gz\n  poolgen replay poolgen.yaml --pool Scratch --trace a.csv --trace b.csv --format json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().StringArrayVar(&o.pools, "pool", nil, "replay this pool only; may be repeated (default: all that can take a trace)")
	cmd.Flags().StringArrayVar(&o.traces, "trace", nil, "trace file; may be repeated")
	o.format = formatFlag(cmd, "text", "json")
	cobra.CheckErr(cmd.MarkFlagRequired("trace"))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("pool", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.completePools(first(args)), cobra.ShellCompDirectiveNoFileComp
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.replay(cmd.Context(), args, o) }
	return cmd
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (p *Process) replay(ctx context.Context, args []string, o replayOptions) error {
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
	if err := compare(units); err != nil {
		return err
	}
	pools, err := p.selectPools(units[0], o.pools)
	if err != nil {
		return err
	}
	rows, err := p.measure(ctx, units[0], pools, traces, o.format.value)
	if err != nil {
		return err
	}
	if o.format.value == textFormat {
		p.table(rows)
	}
	return nil
}

func (p *Process) readTraces(names []string) ([]*replay.Trace, error) {
	var traces []*replay.Trace
	for _, name := range names {
		file, err := os.Open(p.path(name))
		if err != nil {
			return nil, err
		}
		trace, err := replay.ReadTrace(name, file)
		file.Close()
		if err != nil {
			return nil, err
		}
		traces = append(traces, trace)
	}
	return traces, nil
}

// selectPools returns the pools named, or else all that can take a trace. What it leaves out it says.
func (p *Process) selectPools(u *unit, names []string) ([]spec.Pool, error) {
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
			switch why := replay.Unfit(pool); {
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
func (p *Process) measure(ctx context.Context, u *unit, pools []spec.Pool, traces []*replay.Trace, format string) ([]replay.Row, error) {
	temp, err := os.MkdirTemp("", "poolgen-replay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	progress := p.progress()
	progress("build %d pools", len(pools))
	program, err := replay.Build(ctx, p.gocmd(), p.Dir, temp, u.changes, pools)
	if err != nil {
		return nil, err
	}
	var rows []replay.Row
	for _, pool := range pools {
		for _, trace := range traces {
			progress("pool %s, trace %s, %d events", pool.Name, trace.Name, trace.Events())
			row, err := program.Run(ctx, pool.Name, trace)
			if err != nil {
				return nil, err
			}
			if err := p.remark(&pool, row); err != nil {
				return nil, err
			}
			if format == "json" {
				if err := json.NewEncoder(p.Stdout).Encode(row); err != nil {
					return nil, err
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// remark says what the figures of a row do not show.
func (p *Process) remark(pool *spec.Pool, row replay.Row) error {
	byClock := pool.Trim != nil && pool.Trim.Idle > 0
	switch {
	case row.Varied && byClock:
		p.note("pool %q trims by the clock: of three runs of %s, the largest peak is given", row.Pool, row.Trace)
	case row.Varied:
		return fmt.Errorf("pool %q reserved different amounts in three runs of %s: this is a fault of poolgen", row.Pool, row.Trace)
	}
	if row.Failure != "" {
		p.note("%d requests were not served, the first at %s", row.Failures, row.Failure)
	}
	return nil
}

// progress returns a function that says what goes on: on a terminal, and not before a second has passed.
func (p *Process) progress() func(text string, args ...any) {
	start := time.Now()
	return func(text string, args ...any) {
		if terminal(p.Stderr) && time.Since(start) > time.Second {
			fmt.Fprintf(p.Stderr, text+"\n", args...)
		}
	}
}

// table prints the rows: names to the left, figures to the right.
func (p *Process) table(rows []replay.Row) {
	poolWidth, traceWidth := len("pool"), len("trace")
	for _, r := range rows {
		poolWidth, traceWidth = max(poolWidth, len(r.Pool)), max(traceWidth, len(r.Trace))
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-*s  %-*s\tallocs\tfrees\tfailures\tpeak live\tpeak reserved\tratio\tns/op\t\n", poolWidth, "pool", traceWidth, "trace")
	for _, r := range rows {
		fmt.Fprintf(w, "%-*s  %-*s\t%d\t%d\t%d\t%s\t%s\t%.3f\t%.1f\t\n", poolWidth, r.Pool, traceWidth, r.Trace,
			r.Allocs, r.Frees, r.Failures, rounded(r.PeakLive), rounded(r.PeakReserved), r.Ratio, r.NSPerOp)
	}
	w.Flush()
}

// rounded writes a number of bytes for people: four digits and a binary unit.
func rounded(bytes int64) string {
	value, unit := float64(bytes), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for value >= 1024 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.4g %s", value, units[unit])
}
