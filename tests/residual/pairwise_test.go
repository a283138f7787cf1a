package residual

import (
	"fmt"
	"testing"
)

// param is a parameter with the values that the matrix gives it, as Go expressions.
type param struct {
	key    string // "heap.granule"
	values []string
}

// tuple is a value for each parameter.
type tuple map[string]string

// pair is two parameters with values, by their indices.
type pair struct{ p, v, q, w int }

// pairwise returns tuples in which every pair of values of two parameters occurs that some legal tuple has. It is greedy: each
// tuple starts from a pair that is still missing, and takes for the other parameters the values with most missing pairs. Equal
// arguments give equal tuples.
func pairwise(params []param, legal func(tuple) bool) []tuple {
	missing := allPairs(params)
	var rows []tuple
	for len(missing) > 0 {
		first := missing[0]
		row := fill(params, missing, first, legal)
		if row == nil { // no legal tuple has this pair
			missing = missing[1:]
			continue
		}
		missing = without(missing, row)
		rows = append(rows, asTuple(params, row))
	}
	if rows == nil {
		return []tuple{asTuple(params, make([]int, len(params)))}
	}
	return rows
}

func allPairs(params []param) (pairs []pair) {
	if len(params) == 1 {
		for v := range params[0].values {
			pairs = append(pairs, pair{0, v, 0, v})
		}
	}
	for p := range params {
		for q := range p {
			for v := range params[p].values {
				for w := range params[q].values {
					pairs = append(pairs, pair{p, v, q, w})
				}
			}
		}
	}
	return pairs
}

// fill completes a pair to a row of value indices, nil if no legal row has the pair.
func fill(params []param, missing []pair, first pair, legal func(tuple) bool) []int {
	row := make([]int, len(params))
	for i := range row {
		row[i] = -1
	}
	row[first.p], row[first.q] = first.v, first.w
	if !complete(params, missing, row, 0, legal) {
		return nil
	}
	return row
}

// complete chooses values for the parameters from i on, the best first; it backtracks if that leads to no legal row.
func complete(params []param, missing []pair, row []int, i int, legal func(tuple) bool) bool {
	if i == len(row) {
		return legal == nil || legal(asTuple(params, row))
	}
	if row[i] >= 0 {
		return complete(params, missing, row, i+1, legal)
	}
	for _, v := range byGain(params, missing, row, i) {
		row[i] = v
		if complete(params, missing, row, i+1, legal) {
			return true
		}
	}
	row[i] = -1
	return false
}

// byGain orders the values of a parameter by how many missing pairs they make with the values chosen so far. Among equals the one
// that is listed first comes first, which makes the order deterministic.
func byGain(params []param, missing []pair, row []int, i int) []int {
	n := len(params[i].values)
	gain, order := make([]int, n), make([]int, 0, n)
	for _, m := range missing {
		switch {
		case m.p == i && row[m.q] == m.w:
			gain[m.v]++
		case m.q == i && row[m.p] == m.v:
			gain[m.w]++
		}
	}
	for v := range n {
		at := len(order)
		for at > 0 && gain[order[at-1]] < gain[v] {
			at--
		}
		order = append(order[:at], append([]int{v}, order[at:]...)...)
	}
	return order
}

func without(missing []pair, row []int) (left []pair) {
	for _, m := range missing {
		if row[m.p] != m.v || row[m.q] != m.w {
			left = append(left, m)
		}
	}
	return left
}

func asTuple(params []param, row []int) tuple {
	t := tuple{}
	for i, p := range params {
		t[p.key] = p.values[row[i]]
	}
	return t
}

// TestPairwise counts the pairs of a set of tuples in which one combination is not legal.
func TestPairwise(t *testing.T) {
	params := []param{{"a", []string{"0", "1"}}, {"b", []string{"0", "1", "2"}}, {"c", []string{"0", "1", "2"}}, {"d", []string{"0", "1"}}}
	legal := func(r tuple) bool { return r["b"] != "2" || r["c"] != "2" }
	rows := pairwise(params, legal)
	seen := map[string]bool{}
	for _, r := range rows {
		if !legal(r) {
			t.Errorf("%v is not legal", r)
		}
		for _, p := range params {
			for _, q := range params {
				if p.key < q.key {
					seen[fmt.Sprint(p.key, r[p.key], q.key, r[q.key])] = true
				}
			}
		}
	}
	if want := 6 + 6 + 4 + 8 + 6 + 6; len(seen) != want || len(rows) > 12 {
		t.Errorf("%d of %d pairs in %d tuples", len(seen), want, len(rows))
	}
	if again := pairwise(params, legal); fmt.Sprint(again) != fmt.Sprint(rows) {
		t.Error("another set of tuples the second time")
	}
}
