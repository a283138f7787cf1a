package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench"
	"github.com/poolgen/poolgen/spec"
)

// simulator is the name that the simulated driver gives as its library.
const simulator = "simulator"

// benchLine is a line of bench --format json.
type benchLine struct {
	Pool string `json:"pool"`
	bench.Row
	Ratio  float64 `json:"ratio"`
	Least  int64   `json:"least_bytes"`
	Most   int64   `json:"most_bytes"`
	Driver string  `json:"driver,omitempty"`
}

func (p *Process) benchLines(pool string, r bench.Result) error {
	out := json.NewEncoder(p.Stdout)
	if r.Skipped != "" {
		return out.Encode(struct {
			Pool    string `json:"pool"`
			Skipped string `json:"skipped"`
		}{pool, r.Skipped})
	}
	for _, row := range r.Rows {
		if err := out.Encode(benchLine{pool, row, r.Ratio(row), r.Least, r.Most, r.Driver}); err != nil {
			return err
		}
	}
	return nil
}

// benchTable prints the figures of a pool.
func (p *Process) benchTable(pool *spec.Pool, r bench.Result) {
	fmt.Fprintf(p.Stdout, "%s: %s, %s, concurrency %s", pool.Name, pool.Suballocator, pool.Allocator, pool.Concurrency)
	if r.Skipped != "" {
		fmt.Fprintf(p.Stdout, "\n  skipped: %s\n\n", r.Skipped)
		return
	}
	fmt.Fprintf(p.Stdout, "; %s\n", sizes(pool, r))
	if r.Driver == simulator {
		fmt.Fprintln(p.Stdout, "  on the simulated driver, whose times say nothing about a GPU")
	}
	caseWidth, whoWidth := 0, 0
	for _, row := range r.Rows {
		caseWidth, whoWidth = max(caseWidth, len(row.Case.String())), max(whoWidth, len(row.Who))
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-*s  %-*s\tns\tquartiles\tratio\t\n", caseWidth, "", whoWidth, "")
	for _, row := range r.Rows {
		name, ratio := row.Case.String(), ""
		if row.Who != bench.Pool {
			name = ""
			if x := r.Ratio(row); x > 0 {
				ratio = digits(x)
			}
		}
		fmt.Fprintf(w, "%-*s  %-*s\t%s\t%s .. %s\t%s\t\n", caseWidth, name, whoWidth, row.Who, digits(row.NS), digits(row.Low), digits(row.High), ratio)
	}
	w.Flush()
	fmt.Fprintln(p.Stdout)
}

// sizes describes the sizes of the blocks that were measured.
func sizes(pool *spec.Pool, r bench.Result) string {
	switch {
	case pool.Allocator == spec.NoAllocator && pool.ItemForm():
		return "single numbers"
	case pool.Allocator == spec.NoAllocator:
		return fmt.Sprintf("%d to %d numbers", r.Least, r.Most)
	case pool.ItemForm():
		return fmt.Sprintf("blocks of %s, chunks of %s", rounded(r.Least), rounded(pool.ChunkSize))
	}
	return fmt.Sprintf("blocks of %s to %s, chunks of %s", rounded(r.Least), rounded(r.Most), rounded(pool.ChunkSize))
}

// digits writes a figure for people: three digits or more.
func digits(x float64) string {
	if x < 100 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}
