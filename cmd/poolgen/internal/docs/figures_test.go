package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// measured is the page with all measured figures; the pages of figurePages repeat some.
const measured = "docs/performance.md"

var figurePages = []string{"README.md", "docs/choosing.md", "docs/comparison.md"}

var (
	figure   = regexp.MustCompile(`^[\d.,]*\d$`)
	inText   = regexp.MustCompile(`\b(\d[\d.,]*\s*(?:ns|µs|ms)\b|\d\.\d{3}\b)`)
	boldCell = regexp.MustCompile(`^\*\*(.*)\*\*$`)
)

// entry is a cell of a table. Its group is the bold row above it, "" if there is none.
type entry struct{ group, row, column, text string }

// tables returns the cells of all tables of a page with the line of each, and the other running text, in which
// lines keep their numbers.
func tables(p *page) (cells []entry, lines []int, rest string) {
	var columns []string // of the table that the line is in; nil outside
	group := ""
	for i, line := range strings.Split(p.prose, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns, group = nil, ""
			rest += line + "\n"
			continue
		}
		rest += "\n"
		list := strings.Split(strings.TrimSuffix(line, "|"), "|")[1:]
		for k := range list {
			list[k] = strings.TrimSpace(list[k])
		}
		if columns == nil {
			columns = list
		} else if bold := boldCell.FindStringSubmatch(strings.Join(list, "")); bold != nil {
			group = bold[1]
		}
		for k := 1; k < min(len(list), len(columns)); k++ {
			cells, lines = append(cells, entry{group, list[0], columns[k], list[k]}), append(lines, i+1)
		}
	}
	return cells, lines, rest
}

// judgeFigures looks up the figures of a page: the measured ones have them in a row of the same name, below the
// same bold row, and in the column of the same name. Times and ratios outside of tables cannot be looked up.
func judgeFigures(p *page, known []entry) (seen int, found []problem) {
	cells, lines, rest := tables(p)
	for i, c := range cells {
		if !figure.MatchString(c.text) {
			continue
		}
		seen++
		if !slices.Contains(known, c) {
			at := c.text + " in the row " + strings.TrimPrefix(c.group+": "+c.row, ": ") + ", column " + c.column
			found = append(found, problem{p.path, lines[i], measured + " has no " + at})
		}
	}
	for _, f := range find(inText, codeSpan.ReplaceAllStringFunc(rest, onlyLines)) {
		found = append(found, problem{p.path, f.line, f.text + " is outside of a table of rows that " + measured + " has"})
	}
	return seen, found
}

// onlyLines returns the line feeds of a text.
func onlyLines(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// The figures of pages that repeat some are those that were measured.
func TestFigures(t *testing.T) {
	all := pages(t)
	known, _, _ := tables(pageAt(measured, all[0], all))
	judgePages(t, 60, "figures", func(p *page) (int, []problem) {
		if !slices.Contains(figurePages, p.path) {
			return 0, nil
		}
		return judgeFigures(p, known)
	})
}

// A figure that is not the measured one is found, and so is one that is in no table.
func TestWrongFiguresAreFound(t *testing.T) {
	const head, host, device = "| | 1 thread | 16 |\n", "| **host** | | |\n", "| **device** | | |\n"
	table := func(columns string, rows ...string) string {
		return columns + "|---|---|---|\n" + strings.Join(rows, "")
	}
	known, _, _ := tables(newPage(measured, table(head, host, "| pool | 36 | 2.2 |\n", device, "| pool | 31 | 1,407 |\n")))
	for text, want := range map[string]string{
		table("| | 16 | 1 thread |\n", host, "| pool | 2.2 | 36 |\n", device, "| pool | 1,407 | |"): "",

		table(head, host, "| pool | 36 | 2.3 |"):          "4: no 2.3 in the row host: pool, column 16",
		table(head, host, "| pool | 31 | |"):              "4: no 31 in the row host: pool, column 1 thread",
		table(head, "| pool | 31 | |"):                    "3: no 31 in the row pool, column 1 thread",
		table("| | 2 threads |\n", host, "| pool | 36 |"): "4: no 36 in the row host: pool, column 2 threads",

		"A pool takes\n36 ns, `-span 8ms`.\n```\n5 ns\n```\n":             "2: 36 ns is outside",
		"The ratio is 1.007, of 64 KiB, in version 1.26, and 17 minutes.": "1: 1.007 is outside",
	} {
		want = strings.Replace(want, "no ", measured+" has no ", 1)
		_, found := judgeFigures(newPage("p.md", text), known)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].String(), "p.md:"+want)) {
			t.Errorf("%s\nfound %v, want %q", text, found, want)
		}
	}
}
