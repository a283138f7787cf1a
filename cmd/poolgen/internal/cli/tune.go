package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/tune"
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/spec"
)

const tuneLong = `Search the settings of a pool for those that serve recorded traces best: suballocator, fit,
chunk size, growth, bins, cache, min_split and trim. Each candidate is generated, built and replayed
as a real pool; nothing is modelled, and no file of yours is changed.

It looks for the least peak of reserved bytes under a bound on ns per operation, --max-ns, or the
least time under a bound on the ratio of reserved to live bytes, --max-ratio. Without either, the
bound is the time that the default pool takes (a heap, nothing else set). With several traces, the
worst of them counts, in bytes and in time. Times differ from run to run: a time has to be a tenth
less to count as less.

It prints the candidates that no other beats both in bytes and in time (the front), the one that the
bound asks for (*), what each of its settings buys (compared with the same pool without it), how it
does on traces that the search did not see, and the pool file to paste. Those traces are the ones
given by --held-out. Without any, and with several traces, each is left out once: the choice is made
by the others, among the same candidates.

--allocator says where the memory comes from, and may be repeated. Memory of the driver needs a
driver, or the simulated one: GOFLAGS=-tags=cudasim poolgen tune. The times of its calls say
nothing, so each call counts as --call-cost there, by default half of what a pair of cuMemAlloc and
cuMemFree takes on a large GPU.

The candidates do not depend on times. With the same --seed and --rounds they are the same on every
machine, and so are their bytes.

Traces are what poolgen replay takes. Candidates have concurrency: mutex, and one goroutine replays
the events. What the pool file does with your concurrency, poolgen replay --goroutines shows.

A search that takes hours can be shared among machines. --shard 3/16 measures the fourth of sixteen
parts of the next round, appends the results to the file --trials, and stops. --known 'out/*.jsonl',
which may be repeated, reads results of other runs, and so does --trials, of the file that it
appends to. The first round is the grid, and --rounds more refine it. When all are known, the same
command without --shard times the best and prints the result. It measures what is missing, so a
search with --trials alone goes on where it was interrupted.

With --format json, standard output holds one JSON object and nothing else; with --format yaml, the
pool file.`

// tuneOptions are the flags of tune.
type tuneOptions struct {
	traces, heldOut, allocators []string
	bound                       tune.Bound
	seed                        uint64
	rounds                      int
	call                        time.Duration
	chart                       string
	format                      *format
	shard                       string
	part                        tune.Shard // as check has read shard
	trials                      string
	known                       []string
}

// usualCall is about how long a call of the driver for memory takes on a large GPU.
const usualCall = 30 * time.Microsecond

// perRound is the number of candidates in a round of refinement.
const perRound = 32

func (p *Process) tuneCommand() *cobra.Command {
	var o tuneOptions
	cmd := &cobra.Command{
		Use:   "tune --trace TRACE",
		Short: "Search the pool settings that serve recorded traces best",
		Long:  tuneLong,
		Example: "  poolgen tune --trace run.csv.gz\n  poolgen tune --trace monday.csv --trace tuesday.csv --held-out wednesday.csv --max-ns 80\n" +
			"  poolgen tune --trace run.csv --max-ratio 1.05 --chart front.svg\n" +
			"  poolgen tune --trace run.csv --shard 3/16 --trials out/3.jsonl --known 'out/*.jsonl'",
		Args: atMost(0),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.traces, "trace", nil, "trace file to tune for; may be repeated")
	flags.StringArrayVar(&o.heldOut, "held-out", nil, "trace file to try the result on; may be repeated")
	flags.StringArrayVar(&o.allocators, "allocator", []string{string(spec.Host)}, "where memory comes from; may be repeated")
	flags.Float64Var(&o.bound.NS, "max-ns", 0, "most ns per operation (default: what the default pool takes)")
	flags.Float64Var(&o.bound.Ratio, "max-ratio", 0, "most reserved over live bytes at the peak")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the search")
	flags.IntVar(&o.rounds, "rounds", 2, "rounds of refinement")
	flags.DurationVar(&o.call, "call-cost", usualCall, "what a call of the simulated driver counts as")
	flags.StringVar(&o.chart, "chart", "", "write a chart of the candidates to this file, as SVG")
	flags.StringVar(&o.shard, "shard", "", "measure part i of n of the next round, i/n, and stop; i counts from 0")
	flags.StringVar(&o.trials, "trials", "", "append the results to this file, a JSON object a line")
	flags.StringArrayVar(&o.known, "known", nil, "files with results of other runs, a pattern; may be repeated")
	o.format = formatFlag(cmd, "the result", textFormat, jsonFormat, yamlFormat)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("allocator", cobra.FixedCompletions(tunable(), cobra.ShellCompDirectiveNoFileComp)))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.tune(cmd.Context(), o) }
	return cmd
}

// tunable lists the allocators whose pools can take a trace and need no code of the user.
func tunable() (list []string) {
	for _, a := range spec.Allocators() {
		if a != spec.Custom && replay.Unfit(&spec.Pool{Allocator: a, Suballocator: spec.Heap}, 1) == "" {
			list = append(list, string(a))
		}
	}
	return list
}

// countable reports whether a bound can be compared with figures, and written as JSON.
func countable(bound float64) bool { return bound >= 0 && !math.IsInf(bound, 1) }

// check returns an error if the flags contradict each other or are out of range.
func (o *tuneOptions) check() error {
	for _, a := range o.allocators {
		if !slices.Contains(tunable(), a) {
			return fmt.Errorf("--allocator %s cannot be tuned; one of %s can", a, strings.Join(tunable(), ", "))
		}
	}
	switch {
	case !countable(o.bound.NS) || !countable(o.bound.Ratio) || o.rounds < 0 || o.call < 0:
		return fmt.Errorf("--max-ns, --max-ratio, --rounds and --call-cost must be numbers from 0, and not infinite")
	case o.bound.NS > 0 && o.bound.Ratio > 0:
		return fmt.Errorf("--max-ns and --max-ratio are two ways to ask: leave one out, and the other is what is searched")
	case o.bound.Ratio > 0 && o.bound.Ratio < 1:
		return fmt.Errorf("--max-ratio %g: no pool reserves less than is live, so 1 is the least", o.bound.Ratio)
	}
	return o.checkShard()
}

// checkOutputs returns an error if a file would be written to that is read. The file of trials is read too, to go on behind its last line.
func (p *Process) checkOutputs(o tuneOptions) error {
	results, err := p.results(o)
	if err != nil {
		return err
	}
	inputs := slices.Concat(o.traces, o.heldOut)
	if err := p.apart(inputs, o.trials); err != nil {
		return err
	}
	return p.checkChart(o.chart, slices.Concat(inputs, results, []string{o.trials})...)
}

func (p *Process) tune(ctx context.Context, o tuneOptions) error {
	if len(o.traces) == 0 {
		return errNoTrace
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := p.checkOutputs(o); err != nil {
		return err
	}
	traces, err := p.readTraces(ctx, o.traces)
	if err != nil {
		return err
	}
	heldOut, err := p.readTraces(ctx, o.heldOut)
	if err != nil {
		return err
	}
	progress := p.progress()
	defer progress.stop()
	bench := tune.Bench{Workspace: p.workspace(), Go: p.gocmdFor, Say: progress.say}
	if cuda.LibraryPath() != simulator {
		o.call = 0
	}
	shared, err := p.shared(ctx, o, &bench, traces)
	if err != nil {
		return err
	}
	defer shared.close()
	search := tune.Search{
		Load: tune.LoadOf(traces), Allocators: o.allocators, Bound: o.bound, Seed: o.seed, Rounds: o.rounds, Each: perRound, Call: o.call, Measure: shared.Round,
	}
	found, err := search.Run(ctx)
	if part := (*tune.Incomplete)(nil); errors.As(err, &part) {
		p.note("%s", part)
		return nil
	}
	if err != nil {
		return err
	}
	report := tuned{o: o, traces: traces, Outcome: found}
	if len(heldOut) > 0 && found.Pick >= 0 {
		if report.held, err = bench.Measure(ctx, []tune.Candidate{found.Finals[0].Candidate, found.Finals[found.Pick].Candidate}, heldOut, replay.UsualRuns, nil); err != nil {
			return err
		}
	}
	if o.chart != "" {
		if err := p.saveText(o.chart, report.chart()); err != nil {
			return err
		}
	}
	if err := p.printTuned(report); err != nil {
		return err
	}
	if found.Pick < 0 {
		return p.unbound(report)
	}
	return nil
}

// unbound returns the error that no candidate stays within the bound. It names the nearest one.
func (p *Process) unbound(t tuned) error {
	least := t.Finals[t.Front[0]]
	fastest := t.Finals[t.Front[len(t.Front)-1]]
	if t.Bound.Ratio > 0 {
		p.note("no pool that was tried stays within a ratio of %.3f; the nearest has %.3f: %s", t.Bound.Ratio, t.ratio(least), least)
	} else {
		p.note("no pool that was tried stays within %s ns per operation; the fastest takes %s: %s", digits(t.Bound.NS), digits(t.ns(fastest)), fastest)
	}
	return status(ExitFindings)
}
