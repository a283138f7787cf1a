package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

const replayLong = `Run recorded allocation traces through the pools of a pool file. The pools are generated,
compiled and called event by event; nothing is modelled, and no file of yours is changed.

A trace is CSV, optionally compressed by gzip, with the header op,id,bytes,stream,time_us. op is a
(alloc) or f (free); lines that start with # are comments. A snapshot of PyTorch with a history and
a log of RMM are traces as well; the content of a file tells which it is.

Pools of spans take a request rounded up to whole items; pools of blocks (fixed) serve one block for
a request, and fail those that are larger than a block. The events run one after the other on one
goroutine, each trace three times through a fresh pool: ns_per_op is the median. The memory is
reserved and never touched, except by pools with zero: always. The rung wait is left out of the
ladder, because nobody else could free anything meanwhile.

A trace with several stream numbers runs on as many streams in pools ordered with streams: AllocOn
and FreeOn (ordering stream), Alloc and FreeAsync (deferred). The streams have no work beside what
the pool gives them, unless there is --busy N: what is freed on a stream then completes N events
later, on the simulated driver. In other pools the numbers mean nothing, and neither has --busy.

With --goroutines, that many goroutines share the events: by streams, if the trace has as many, else
by blocks. They keep an order only where one frees what another has allocated, so runs differ, and
peak_live_bytes is what the pool saw, in sharded pools an estimate. ns_per_op is then the time of one
operation over all of them.

What the pool's source and the driver take, for chunks, pages and questions about streams, is
counted and timed apart: driver_calls and driver_ns_per_op, for host memory the calls of the
operating system; pool_ns_per_op is the rest of ns_per_op. A pool that does not work here,
because there is no driver, is left out, and the reason is given. Built with -tags cudasim
(GOFLAGS=-tags=cudasim poolgen replay), such pools run on the simulated driver, whose times say
nothing about a GPU.

With --format json, standard output holds one JSON object for each pool and trace, on a line of its
own, and nothing else: pool, trace, allocs and frees (those served), failures, peak_live_bytes (as
requested), peak_reserved_bytes, ratio (of the second to the first), ns_per_op, pool_ns_per_op,
driver_ns_per_op, driver_calls, first_failure_line (of the trace, in a snapshot of PyTorch the
number of the event; 0 without one), driver (the library; simulator for the simulated one), and with
--busy in_use_bytes (live, or freed by other streams that have not passed the free, when a stream
allocates: what a pool reserves at least that makes no stream wait).`

// replayOptions are the flags of replay.
type replayOptions struct {
	pools      []string
	traces     []string
	goroutines int
	busy       int
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
		Args:              atMost(1),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().StringArrayVar(&o.pools, "pool", nil, "replay this pool only; may be repeated (default: the one that the trace was recorded of by RecordPool, else all that can take a trace)")
	cmd.Flags().StringArrayVar(&o.traces, "trace", nil, "trace file; may be repeated")
	cmd.Flags().IntVar(&o.goroutines, "goroutines", 1, "how many goroutines share the events")
	cmd.Flags().IntVar(&o.busy, "busy", 0, "how many events later work on a stream completes that uses what is freed there (needs the simulated driver)")
	cmd.Flags().StringVar(&o.chart, "chart", "", "write a chart of live and reserved bytes over time to this file, as SVG")
	o.format = formatFlag(cmd, "the figures", textFormat, jsonFormat)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("pool", func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.completePools(first(args)), cobra.ShellCompDirectiveNoFileComp
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.replay(cmd.Context(), args, o) }
	return cmd
}

// mostGoroutines is the number of streams that a trace can have, by which goroutines share it. It bounds the memory for goroutines that have no events.
const mostGoroutines = 1 << 16

// check returns an error if the flags contradict each other or are out of range.
func (o *replayOptions) check() error {
	switch {
	case len(o.traces) == 0:
		return errNoTrace
	case o.goroutines < 1 || o.goroutines > mostGoroutines:
		return fmt.Errorf("--goroutines %d: name a number from 1 to %d, which is as many as a trace can have streams", o.goroutines, mostGoroutines)
	case o.busy < 0:
		return fmt.Errorf("--busy must not be below 0")
	case o.goroutines > 1 && o.busy > 0:
		return fmt.Errorf("--busy counts the events in their order, which several goroutines do not keep: leave out one of --busy and --goroutines")
	case o.goroutines > 1 && o.chart != "":
		return fmt.Errorf("--chart shows the events in their order, which several goroutines do not keep: leave out one of --chart and --goroutines")
	}
	return nil
}

func (p *Process) replay(ctx context.Context, args []string, o replayOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	files, err := p.workspace().Find(args)
	if err != nil {
		return err
	}
	if err := p.checkChart(o.chart, append(files, o.traces...)...); err != nil {
		return err
	}
	traces, err := p.readTraces(ctx, o.traces)
	if err != nil {
		return err
	}
	units, err := p.buildToMeasure(ctx, files, true)
	if err != nil {
		return err
	}
	u := units[0] // of the one file
	if len(o.pools) == 0 {
		o.pools = p.recordedPools(u, traces)
	}
	pools, err := p.selectPools(u, o)
	if err != nil {
		return err
	}
	rows, err := p.measure(ctx, u, pools, traces, o)
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
