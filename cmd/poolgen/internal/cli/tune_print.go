package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/tune"
	"github.com/poolgen/poolgen/internal/chart"
	"github.com/poolgen/poolgen/internal/figure"
)

// tuned is the outcome of a search, to be printed.
type tuned struct {
	tune.Outcome
	o      tuneOptions
	traces []*replay.Trace
	held   []tune.Trial // the default pool and the pick on the traces held out
}

func (t *tuned) ratio(trial tune.Trial) (worst float64) {
	for _, r := range trial.Rows {
		worst = max(worst, r.Ratio)
	}
	return worst
}

func (t *tuned) ns(trial tune.Trial) (worst float64) {
	for _, r := range trial.Rows {
		worst = max(worst, tune.Time(r, t.o.call))
	}
	return worst
}

// callsOf returns the calls of the source in 1,000 operations.
func callsOf(trial tune.Trial) (worst float64) {
	for _, r := range trial.Rows {
		worst = max(worst, 1000*float64(r.DriverCalls)/float64(max(r.Allocs+r.Frees, 1)))
	}
	return worst
}

// own returns the pool's own time.
func own(trial tune.Trial) (worst float64) {
	for _, r := range trial.Rows {
		worst = max(worst, r.PoolNSPerOp)
	}
	return worst
}

// asked describes the bound in words.
func (t *tuned) asked() string {
	switch b := t.Bound; {
	case b.Ratio > 0:
		return fmt.Sprintf("the least time with a ratio of %.3f at most", b.Ratio)
	case t.o.bound.NS > 0:
		return fmt.Sprintf("the least bytes in %s ns per operation at most", digits(b.NS))
	default:
		return fmt.Sprintf("the least bytes in no more time than the default pool takes, %s ns per operation", digits(b.NS))
	}
}

func (p *Process) printTuned(t tuned) error {
	switch {
	case t.o.format.value == yamlFormat && t.Pick < 0:
		return nil
	case t.o.format.value == yamlFormat:
		_, err := fmt.Fprint(p.Stdout, t.Finals[t.Pick].PoolFile())
		return err
	case t.o.format.value != textFormat:
		return t.json(p.Stdout)
	}
	fmt.Fprintf(p.Stdout, "%s on %s, for %s\n\n", figure.Count(int64(t.Tried), "pool"), figure.Count(int64(len(t.traces)), "trace"), t.asked())
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tratio\tns/op\tof the pool\tcalls in 1,000 ops\t  pool")
	line := func(mark string, trial tune.Trial) {
		fmt.Fprintf(w, "%s\t%.3f\t%s\t%s\t%s\t  %s\n", mark, t.ratio(trial), digits(t.ns(trial)), digits(own(trial)), digits(callsOf(trial)), trial)
	}
	for _, i := range t.Front {
		mark := ""
		if i == t.Pick {
			mark = "*"
		}
		line(mark, t.Finals[i])
	}
	line("default", t.Finals[0])
	w.Flush()
	if t.Pick < 0 {
		return nil
	}
	t.printChoices(p.Stdout)
	t.printHeldOut(p.Stdout)
	fmt.Fprintf(p.Stdout, "\n%s", t.Finals[t.Pick].PoolFile())
	return nil
}

// printChoices prints what each setting gains.
func (t *tuned) printChoices(out io.Writer) {
	fmt.Fprintln(out, "\nWhat each choice buys, by the same pool without it:")
	if len(t.Choices) == 0 {
		fmt.Fprintln(out, "  nothing to choose: it is the default pool")
	}
	for _, c := range t.Choices {
		if w := c.Without; len(w.Rows) == len(t.traces) && w.Rows[len(w.Rows)-1].Failures == 0 {
			fmt.Fprintf(out, "  %s: %s  without it the ratio is %.3f (%s) and an operation takes %s ns (%s)\n",
				c.Key, c.Value, t.ratio(w), change("%+.3f", -c.Ratio), digits(t.ns(w)), change("%+.3g", -c.Time))
		} else {
			fmt.Fprintf(out, "  %s: %s  without it the pool does not serve the traces\n", c.Key, c.Value)
		}
	}
}

// change formats a difference with a sign; 0 has none.
func change(form string, x float64) string {
	text := fmt.Sprintf(form, x)
	if strings.Trim(text, "+-0.") == "" {
		return text[1:]
	}
	return text
}

// printHeldOut prints the figures of the settings on traces that had no influence on the choice.
func (t *tuned) printHeldOut(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	switch {
	case len(t.held) > 0:
		fmt.Fprintf(out, "\nOn traces held out:\n")
		usual, pick := t.held[0], t.held[1]
		for i, r := range pick.Rows {
			fmt.Fprintf(w, "  %s\tratio %.3f, %s ns/op\t", r.Trace, r.Ratio, digits(tune.Time(r, t.o.call)))
			if r.Failures > 0 {
				fmt.Fprintf(w, "not served: %s, the first at %s\t", figure.Count(r.Failures, "request"), r.Failure)
			}
			if i < len(usual.Rows) {
				fmt.Fprintf(w, "default pool: %.3f, %s ns/op", usual.Rows[i].Ratio, digits(tune.Time(usual.Rows[i], t.o.call)))
			}
			fmt.Fprintln(w)
		}
	case len(t.Left) > 0:
		fmt.Fprintf(out, "\nOn each trace, if the others alone decide:\n")
		for _, l := range t.Left {
			fmt.Fprintf(w, "  %s\tratio %.3f, %s ns/op\tby all %.3f\tdefault pool: %.3f, %s ns/op\t%s\n",
				t.traces[l.Trace].Name, l.Ratio, digits(l.NS), l.OfAll, l.Default, digits(l.DefaultNS), l.Pick)
		}
	}
	w.Flush()
}

// tunedPool is a pool in JSON.
type tunedPool struct {
	Settings string       `json:"settings"`
	YAML     string       `json:"yaml"`
	Ratio    float64      `json:"ratio"`
	NSPerOp  float64      `json:"ns_per_op"`
	Rows     []replay.Row `json:"rows"`
}

func (t *tuned) pool(trial tune.Trial) tunedPool {
	return tunedPool{trial.String(), trial.PoolFile(), t.ratio(trial), t.ns(trial), trial.Rows}
}

// tunedChoice is a setting of the pick in JSON: the pool without it.
type tunedChoice struct {
	Key     string    `json:"key"`
	Value   string    `json:"value"`
	Without tunedPool `json:"without"`
}

// tunedHeldOut is a trace that had no influence on the choice, in JSON.
type tunedHeldOut struct {
	Trace          string  `json:"trace"`
	Settings       string  `json:"settings"`
	Ratio          float64 `json:"ratio"`
	NSPerOp        float64 `json:"ns_per_op"`
	Failures       int64   `json:"failures"`
	DefaultRatio   float64 `json:"default_ratio"`
	DefaultNSPerOp float64 `json:"default_ns_per_op"`
}

func (t *tuned) heldOut() []tunedHeldOut {
	list := []tunedHeldOut{}
	for _, l := range t.Left {
		list = append(list, tunedHeldOut{t.traces[l.Trace].Name, l.Pick.String(), l.Ratio, l.NS, 0, l.Default, l.DefaultNS})
	}
	if len(t.held) == 0 {
		return list
	}
	list = list[:0]
	usual, pick := t.held[0], t.held[1]
	for i, r := range pick.Rows {
		h := tunedHeldOut{Trace: r.Trace, Settings: pick.String(), Ratio: r.Ratio, NSPerOp: tune.Time(r, t.o.call), Failures: r.Failures}
		if i < len(usual.Rows) {
			h.DefaultRatio, h.DefaultNSPerOp = usual.Rows[i].Ratio, tune.Time(usual.Rows[i], t.o.call)
		}
		list = append(list, h)
	}
	return list
}

func (t *tuned) json(out io.Writer) error {
	all := struct {
		Tried    int            `json:"tried"`
		Seed     uint64         `json:"seed"`
		MaxNS    float64        `json:"max_ns,omitempty"`
		MaxRatio float64        `json:"max_ratio,omitempty"`
		Default  tunedPool      `json:"default"`
		Front    []tunedPool    `json:"front"`
		Pick     *tunedPool     `json:"pick"`
		Choices  []tunedChoice  `json:"choices"`
		HeldOut  []tunedHeldOut `json:"held_out"`
	}{t.Tried, t.o.seed, t.Bound.NS, t.Bound.Ratio, t.pool(t.Finals[0]), nil, nil, []tunedChoice{}, t.heldOut()}
	for _, i := range t.Front {
		all.Front = append(all.Front, t.pool(t.Finals[i]))
	}
	if t.Pick >= 0 {
		pick := t.pool(t.Finals[t.Pick])
		all.Pick = &pick
	}
	for _, c := range t.Choices {
		all.Choices = append(all.Choices, tunedChoice{c.Key, c.Value, t.pool(c.Without)})
	}
	return json.NewEncoder(out).Encode(all)
}

// chart draws the candidates by their last measurement: bytes over time.
func (t *tuned) chart() string {
	panel := chart.Panel{Title: strings.Join(t.o.traces, ", "), X: chart.Axis{Label: "ns per operation", Kind: chart.Tens}, Y: chart.Axis{Label: "reserved over live bytes", Kind: chart.Spread}}
	for _, i := range t.Front {
		panel.Add("front", true, t.ns(t.Finals[i]), t.ratio(t.Finals[i]))
	}
	for _, trial := range t.Finals {
		panel.Dot(trial.Candidate[tune.Suballocator], t.ns(trial), t.ratio(trial))
	}
	panel.Dot("default pool", t.ns(t.Finals[0]), t.ratio(t.Finals[0]))
	return chart.SVG([]chart.Panel{panel})
}
