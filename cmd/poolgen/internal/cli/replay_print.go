package cli

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/internal/chart"
	"github.com/poolgen/poolgen/internal/figure"
)

// table prints the rows: names to the left, figures to the right.
func (p *Process) table(rows []replay.Row) {
	poolWidth, traceWidth := len("pool"), len("trace")
	for _, r := range rows {
		poolWidth, traceWidth = max(poolWidth, len(r.Pool)), max(traceWidth, len(r.Trace))
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	busy := slices.ContainsFunc(rows, func(r replay.Row) bool { return r.InUse > 0 })
	inUse := func(text string) string {
		if !busy {
			return ""
		}
		return text + "\t"
	}
	fmt.Fprintf(w, "%-*s  %-*s\tallocs\tfrees\tfailures\tpeak live\t%speak reserved\tratio\tns/op\tof the pool\tdriver calls\t\n",
		poolWidth, "pool", traceWidth, "trace", inUse("in use"))
	for _, r := range rows {
		fmt.Fprintf(w, "%-*s  %-*s\t%d\t%d\t%d\t%s\t%s%s\t%.3f\t%.1f\t%.1f\t%d\t\n", poolWidth, r.Pool, traceWidth, r.Trace,
			r.Allocs, r.Frees, r.Failures, rounded(r.PeakLive), inUse(rounded(r.InUse)), rounded(r.PeakReserved), r.Ratio, r.NSPerOp, r.PoolNSPerOp, r.DriverCalls)
	}
	w.Flush()
	if slices.ContainsFunc(rows, func(r replay.Row) bool { return r.Driver == simulator }) {
		fmt.Fprintln(p.Stdout, "on the simulated driver, whose times say nothing about a GPU")
	}
}

// rounded writes a number of bytes for people: four digits and a binary unit.
func rounded(bytes int64) string { return figure.Bytes(float64(bytes), 4) }

// chartColumns is the number of values in a line of a chart.
const chartColumns = 400

// replayChart draws the live bytes and the bytes that each pool has reserved, in a panel for each trace.
func replayChart(traces []*replay.Trace, rows []replay.Row) string {
	var panels []chart.Panel
	for _, trace := range traces {
		panel := chart.Panel{Title: trace.Name, X: chart.Axis{Label: "seconds"}, Y: chart.Axis{Kind: chart.Binary, Name: func(v float64) string { return rounded(int64(v)) }}}
		end := float64(trace.Span()) / 1e6
		if end == 0 {
			panel.X.Label, end = "events", float64(trace.Events())
		}
		add := func(name string, bold bool, values []int64) {
			for c, v := range values {
				panel.Add(name, bold, end*float64(c)/chartColumns, float64(v))
			}
		}
		add("live", true, trace.Live(chartColumns))
		for _, row := range rows {
			if row.Trace == trace.Name {
				add(row.Pool, false, row.Reserved)
			}
		}
		panels = append(panels, panel)
	}
	return chart.SVG(panels)
}
