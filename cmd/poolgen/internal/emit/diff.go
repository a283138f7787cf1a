package emit

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// around is the number of unchanged lines around a change in a patch.
const around = 3

// Patch returns a unified diff from the old content of a file to the new, for patch -p1 and git apply; path is the path of
// the file, with slashes. It is empty when there is nothing to do.
//
// Lines are matched by the patience method (Bram Cohen): lines that occur once in both contents and in the same
// order are anchors, and each gap between two anchors is matched from both its ends. That takes O(n log n) and reads well on
// generated code, whose unique lines are its declarations.
func Patch(path string, change Change) []byte {
	if change.Kind == Unchanged {
		return nil
	}
	var out bytes.Buffer
	if strings.Contains(path, " ") {
		path += "\t" // for patch, the name ends here and not at the first space
	}
	from, to := "a/"+path, "b/"+path
	if change.Kind == Missing {
		from = "/dev/null"
	}
	if change.Kind == Orphaned {
		to = "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	old, now := splitLines(change.Old), splitLines(change.New)
	for _, h := range hunks(match(old, now), len(old), len(now)) {
		h.write(&out, old, now)
	}
	return out.Bytes()
}

// splitLines keeps the line ends, because a last line without one differs from a line with one.
func splitLines(content []byte) []string {
	lines := strings.SplitAfter(string(content), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// run is n equal lines, from line a of the old content and from line b of the new one.
type run struct{ a, b, n int }

// match returns the runs that both contents share, in order, ended by an empty run at their ends.
func match(old, now []string) []run {
	var runs []run
	a, b := 0, 0
	add := func(r run) {
		if k := len(runs) - 1; k >= 0 && runs[k].a+runs[k].n == r.a && runs[k].b+runs[k].n == r.b {
			runs[k].n += r.n
		} else if r.n > 0 {
			runs = append(runs, r)
		}
	}
	for _, anchor := range append(anchors(old, now), run{len(old), len(now), 0}) {
		if anchor.a < a || anchor.b < b {
			continue // taken by the run before
		}
		head, tail := 0, 0
		for a+head < anchor.a && b+head < anchor.b && old[a+head] == now[b+head] {
			head++
		}
		for anchor.a-tail > a+head && anchor.b-tail > b+head && old[anchor.a-tail-1] == now[anchor.b-tail-1] {
			tail++
		}
		add(run{a, b, head})
		add(run{anchor.a - tail, anchor.b - tail, tail + anchor.n})
		a, b = anchor.a+anchor.n, anchor.b+anchor.n
	}
	return append(runs, run{len(old), len(now), 0})
}

// anchors returns the longest sequence of lines unique in both contents that are in the same order in both.
func anchors(old, now []string) []run {
	places := map[string]*[4]int{} // count and last place in old, and in now
	count := func(lines []string, at int) {
		for i, line := range lines {
			p := places[line]
			if p == nil {
				p = new([4]int)
				places[line] = p
			}
			p[at]++
			p[at+1] = i
		}
	}
	count(old, 0)
	count(now, 2)
	var pairs []run
	for i, line := range old {
		if p := places[line]; p[0] == 1 && p[2] == 1 {
			pairs = append(pairs, run{i, p[3], 1})
		}
	}
	return increasing(pairs)
}

// increasing returns the longest subsequence of pairs, which are sorted by a, that is sorted by b as well:
// patience sorting with back links.
func increasing(pairs []run) []run {
	var tops []int // tops[k]: the pair with the least b that ends a sequence of k+1 pairs
	before := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]].b >= p.b })
		before[i] = -1
		if k > 0 {
			before[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	longest := make([]run, len(tops))
	if len(tops) > 0 {
		for i, k := tops[len(tops)-1], len(tops)-1; k >= 0; i, k = before[i], k-1 {
			longest[k] = pairs[i]
		}
	}
	return longest
}
