package tune

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// random points, many of which share a ratio or nearly a time.
func randomPoints(r *rand.Rand) (list []Point) {
	for range 1 + r.IntN(60) {
		list = append(list, Point{Ratio: 1 + float64(r.IntN(20))/10, NS: 10 + float64(r.IntN(1000))/7, Size: r.IntN(5)})
	}
	return list
}

// beaten reports whether another point is as good in both and better in one.
func beaten(points []Point, i int) bool {
	return slices.ContainsFunc(points, func(p Point) bool {
		q := points[i]
		return p.Ratio <= q.Ratio && p.NS <= q.NS && (p.Ratio < q.Ratio || p.NS < q.NS)
	})
}

// Without a tolerance, the front has every point that no other beats, once.
func TestFrontByBruteForce(t *testing.T) {
	for seed := range uint64(300) {
		points := randomPoints(rand.New(rand.NewPCG(seed, 0)))
		places := map[[2]float64]bool{}
		for i, p := range points {
			if !beaten(points, i) {
				places[[2]float64{p.Ratio, p.NS}] = true
			}
		}
		front := frontOf(points, 0)
		for _, i := range front {
			if beaten(points, i) {
				t.Fatalf("seed %d: %+v is beaten", seed, points[i])
			}
			delete(places, [2]float64{points[i].Ratio, points[i].NS})
		}
		if len(places) > 0 {
			t.Fatalf("seed %d: %v are missing", seed, places)
		}
	}
}

// With a tolerance, each member is faster by that much than those of lower ratios, and for each point there is a member that is no worse, within the
// tolerance.
func TestFrontWithTolerance(t *testing.T) {
	const tolerance = 0.2
	for seed := range uint64(300) {
		points := randomPoints(rand.New(rand.NewPCG(seed, 1)))
		front := frontOf(points, tolerance)
		for k := 1; k < len(front); k++ {
			a, b := points[front[k-1]], points[front[k]]
			if b.Ratio <= a.Ratio || b.NS >= (1-tolerance)*a.NS {
				t.Fatalf("seed %d: %+v follows %+v", seed, b, a)
			}
		}
		for _, p := range points {
			if !slices.ContainsFunc(front, func(i int) bool { return points[i].Ratio <= p.Ratio && (1-tolerance)*points[i].NS <= p.NS }) {
				t.Fatalf("seed %d: nothing stands for %+v", seed, p)
			}
		}
	}
}

func TestFrontPrefersFewSettings(t *testing.T) {
	points := []Point{{1.5, 100, 4}, {1.5, 105, 1}, {1.5, 200, 0}}
	if got := frontOf(points, 0.1); !slices.Equal(got, []int{1}) {
		t.Errorf("got %v", got)
	}
}

func TestPickKeepsToTheBound(t *testing.T) {
	points := []Point{{1.0, 1000, 2}, {1.1, 100, 1}, {1.5, 50, 1}, {2.0, 30, 0}, {1.6, 49, 0}}
	for _, test := range []struct {
		bound Bound
		want  int
	}{
		{Bound{NS: 5000}, 0}, {Bound{NS: 1000}, 0}, {Bound{NS: 500}, 1}, {Bound{NS: 95}, 1}, {Bound{NS: 60}, 2}, {Bound{NS: 35}, 3}, {Bound{NS: 20}, -1},
		{Bound{Ratio: 1}, 0}, {Bound{Ratio: 1.4}, 1}, {Bound{Ratio: 1.5}, 2}, {Bound{Ratio: 9}, 3}, {Bound{Ratio: 0.9}, -1},
	} {
		if got := test.bound.pick(points, 0.1); got != test.want {
			t.Errorf("%+v: got %d, want %d", test.bound, got, test.want)
		}
	}
}
