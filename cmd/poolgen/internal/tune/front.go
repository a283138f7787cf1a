package tune

import (
	"cmp"
	"slices"
)

// usualTolerance is the relative difference above which a time counts as less: times of one pool differ about as much from run to run.
const usualTolerance = 0.1

// Point is the result of a candidate: the worst ratio of reserved to live bytes, which is exact, and the worst time of one operation in ns, which is
// not.
type Point struct {
	Ratio float64
	NS    float64
	Size  int // settings that are not the default
}

// frontOf returns the indexes of those points that no other beats, by rising ratio: each is faster, by more than the tolerance, than all before it.
// Of several with one ratio the fastest counts; if times are equal within the tolerance, the one with fewer settings.
func frontOf(points []Point, tolerance float64) (front []int) {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := points[a], points[b]
		return cmp.Or(cmp.Compare(p.Ratio, q.Ratio), cmp.Compare(p.NS, q.NS), cmp.Compare(p.Size, q.Size))
	})
	for at := 0; at < len(order); {
		end := at + 1
		for end < len(order) && points[order[end]].Ratio == points[order[at]].Ratio {
			end++
		}
		faster := order[at:end]
		if n := len(front); n > 0 {
			faster = slices.DeleteFunc(slices.Clone(faster), func(i int) bool { return points[i].NS >= (1-tolerance)*points[front[n-1]].NS })
		}
		if len(faster) > 0 {
			front = append(front, simplest(points, faster, tolerance))
		}
		at = end
	}
	return front
}

// simplest returns the one of several points, sorted by time, that has the fewest settings and is as fast as the first, within the tolerance; the first of the list of
// all points if several are, so that times hardly matter.
func simplest(points []Point, alike []int, tolerance float64) int {
	fastest := points[alike[0]].NS
	alike = slices.DeleteFunc(slices.Clone(alike), func(i int) bool { return (1-tolerance)*points[i].NS > fastest })
	return slices.MinFunc(alike, func(i, j int) int { return cmp.Or(cmp.Compare(points[i].Size, points[j].Size), cmp.Compare(i, j)) })
}

// Bound is the bound under which a pool is chosen.
type Bound struct {
	NS    float64 // most ns of an operation; 0: none
	Ratio float64 // most reserved over live; 0: none
}

// pick returns the best point under the bound: the one with the least ratio of those that take no longer, within the tolerance; or the fastest of
// those with no larger ratio. It returns -1 if there is none.
func (b Bound) pick(points []Point, tolerance float64) int {
	best := -1
	for _, i := range frontOf(points, tolerance) {
		switch p := points[i]; {
		case b.Ratio > 0 && p.Ratio <= b.Ratio:
			best = i // the front gets faster
		case b.Ratio == 0 && (1-tolerance)*p.NS <= b.NS && best < 0:
			best = i // and its ratio rises
		}
	}
	return best
}
