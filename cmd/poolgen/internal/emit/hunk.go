package emit

import (
	"bytes"
	"fmt"
	"strings"
)

// hunk is one section of a patch: lines [a0, a1) of the old content become lines [b0, b1) of the new one.
// runs are the lines in it that stay.
type hunk struct {
	a0, a1, b0, b1 int
	runs           []run
}

// hunks groups the changes between the shared runs, with [around] around them. Changes whose contexts would touch share a hunk.
func hunks(runs []run, oldLines, newLines int) []hunk {
	var all []hunk
	var h *hunk
	a, b := 0, 0 // end of the run before
	lead := run{}
	for _, r := range runs {
		if r.a > a || r.b > b {
			if h == nil {
				keep := min(lead.n, around)
				h = &hunk{a0: a - keep, b0: b - keep, runs: []run{{a - keep, b - keep, keep}}}
			}
			h.a1, h.b1 = r.a, r.b
		}
		last := r.a+r.n == oldLines && r.b+r.n == newLines
		if h != nil && (last || r.n > 2*around) {
			keep := min(r.n, around)
			h.a1, h.b1 = r.a+keep, r.b+keep
			h.runs = append(h.runs, run{r.a, r.b, keep})
			all = append(all, *h)
			h = nil
		} else if h != nil {
			h.runs = append(h.runs, r)
			h.a1, h.b1 = r.a+r.n, r.b+r.n
		}
		a, b, lead = r.a+r.n, r.b+r.n, r
	}
	return all
}

func (h hunk) write(out *bytes.Buffer, old, now []string) {
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(h.a0, h.a1), extent(h.b0, h.b1))
	a, b := h.a0, h.b0
	for _, r := range append(h.runs, run{h.a1, h.b1, 0}) {
		writeLines(out, "-", old[a:r.a])
		writeLines(out, "+", now[b:r.b])
		writeLines(out, " ", old[r.a:r.a+r.n])
		a, b = r.a+r.n, r.b+r.n
	}
}

// extent writes the lines [from, to) as patches do: counted from 1, an empty range by the line before it.
func extent(from, to int) string {
	first := from
	if from < to {
		first++
	}
	return fmt.Sprintf("%d,%d", first, to-from)
}

func writeLines(out *bytes.Buffer, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
