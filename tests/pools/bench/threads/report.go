package threads

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/poolgen/poolgen/internal/chart"
)

// print writes the figures: the references, then blocks that the same thread frees, then blocks that another thread frees.
func (t *table) print(out io.Writer) error {
	refs := t.references("")
	fmt.Fprintf(out, "\n%d threads. ns of one operation over all threads; M/s of all together; ratios to references with as many threads, and to the best of our pools there\n", t.threads)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "subject\tns\tleast\tthree of four\tM/s\tR_mu2\tR_add2\tR_pin2\tpool\tgoal\t\t")
	section := ""
	for _, r := range t.rows {
		if s := r.section(); s != section {
			section, refs = s, t.references(s)
			fmt.Fprintf(w, "%s\n", s)
		}
		ns, least, high := r.median()
		fmt.Fprintf(w, "  %s\t%.2f\t%.2f\t<= %.2f\t%.4g\t%.2f\t%.2f\t%.2f\t", r.name, ns, least, high, 1000/ns,
			ns/refs["R_mu2"], ns/refs["R_add2"], ns/refs["R_pin2"])
		if best, ok := t.best(section); ok {
			fmt.Fprintf(w, "%.2f", ns/best)
		}
		fmt.Fprint(w, "\t")
		if g, ok := r.goal(t.threads); ok {
			fmt.Fprintf(w, "%s\t\n", g.judge(ns, refs))
		} else {
			fmt.Fprintf(w, "%s\t\t\n", r.note)
		}
	}
	err := w.Flush()
	for _, l := range t.lost {
		fmt.Fprintf(out, "lost: %s\n", l)
	}
	return err
}

// best is the time of our best pool in a section.
func (t *table) best(section string) (best float64, ok bool) {
	best = math.Inf(1)
	for _, r := range t.rows {
		if r.ours() && r.section() == section {
			ns, _, _ := r.median()
			best = min(best, ns)
		}
	}
	return best, !math.IsInf(best, 1)
}

// rank orders rows: references, then loads, then loads whose blocks move.
func (r *row) rank() int {
	rank := slices.Index(order, r.kind)
	if r.moved {
		rank += len(order)
	}
	return rank
}

// section is the heading above a row.
func (r *row) section() string {
	switch {
	case r.kind == "":
		return "references"
	case r.moved:
		return kinds[r.kind] + ", freed by the next"
	default:
		return kinds[r.kind]
	}
}

// panels returns the charts of the tables: one for each load of several threads.
func panels(tables []table) (list []chart.Panel) {
	at, many := map[string]int{}, map[string]bool{}
	for _, r := range tables[len(tables)-1].rows {
		many[r.section()] = true
	}
	for _, t := range tables {
		for _, r := range t.rows {
			title := r.section()
			if r.kind == "" || r.kind == "bump" && r.moved || !many[title] {
				continue
			}
			k, ok := at[title]
			if !ok {
				k = len(list)
				at[title] = k
				list = append(list, chart.Panel{Title: title, X: chart.Axis{Label: "threads", Kind: chart.Twos}, Y: chart.Axis{Label: "million operations a second", Kind: chart.Tens}})
			}
			ns, _, _ := r.median()
			list[k].Add(r.name, r.ours(), float64(t.threads), 1000/ns)
		}
	}
	return list
}
