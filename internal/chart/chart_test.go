package chart

import (
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// parse fails the test if the text is not XML.
func parse(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

func TestPanelsAreDrawn(t *testing.T) {
	one := Panel{Title: "a <b>", X: Axis{Label: "threads", Kind: Twos}, Y: Axis{Label: "y & z", Kind: Tens}}
	one.Add("ours", true, 1, 20)
	one.Add("ours", true, 4, 900)
	one.Add("other", false, 1, 300)
	two := Panel{Title: "dots", X: Axis{Kind: Linear}, Y: Axis{Kind: Spread, Name: func(float64) string { return "a value" }}}
	two.Dot("some", 1, 1)
	two.Dot("some", 2, 1)
	svg := SVG([]Panel{one, two, {Title: "nothing"}})
	parse(t, svg)
	for want, n := range map[string]int{
		"<polyline ": 2, `class="bold"`: 1, "<circle ": 3, "a &lt;b&gt;": 1, "y &amp; z": 1, ">ours 900<": 1, ">some<": 1, "a value": 2, "nothing": 1,
	} {
		if got := strings.Count(svg, want); got != n && !(want == "a value" && got > 1) {
			t.Errorf("%d times %q, want %d in\n%s", got, want, n, svg)
		}
	}
}

// A point with a coordinate that is not finite is not drawn, and names are escaped for XML.
func TestWhatCannotBeDrawnIsLeftOut(t *testing.T) {
	p := Panel{Title: "a\x1b[2J\x00", X: Axis{Label: "x\x01", Kind: Twos}, Y: Axis{Kind: Tens}}
	p.Add("gone", true, 1, math.NaN())
	p.Add("line\x02", true, 1, 10)
	p.Add("line\x02", true, 2, math.Inf(1))
	p.Dot("dot", math.Inf(-1), 3)
	svg := SVG([]Panel{p})
	parse(t, svg)
	if strings.Contains(svg, "Inf") || strings.Contains(svg, "NaN") || strings.Contains(svg, "gone") || !strings.Contains(svg, "line? 10") {
		t.Error(svg)
	}
}

// Every value lies on its axis, and so does every line of the grid.
func TestValuesLieOnTheirAxis(t *testing.T) {
	for _, test := range []struct {
		kind   AxisKind
		values []float64
		ticks  []float64
	}{
		{Linear, []float64{3, 70}, []float64{0, 10, 20, 30, 40, 50, 60, 70}},
		{Linear, []float64{0, 0}, []float64{0, 1}},
		{Binary, []float64{1, 1 << 30}, []float64{0, 1 << 28, 2 << 28, 3 << 28, 4 << 28}},
		{Spread, []float64{1.01, 1.05}, []float64{1.01, 1.02, 1.03, 1.04, 1.05}},
		{Spread, []float64{2, 2}, []float64{2, 3}},
		{Twos, []float64{1, 8}, []float64{1, 2, 4, 8}},
		{Twos, []float64{1}, []float64{1, 2}},
		{Tens, []float64{20, 900}, []float64{10, 100, 1000}},
		{Tens, []float64{100}, []float64{100, 1000}},
		{Tens, []float64{0, 900}, []float64{100, 1000}},
		{Tens, []float64{0}, []float64{1, 10}},
		{Twos, []float64{0, 4}, []float64{1, 2, 4}},
	} {
		s := Axis{Kind: test.kind}.scale(test.values)
		if !slices.EqualFunc(s.ticks, test.ticks, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*math.Abs(b)+1e-12 }) {
			t.Errorf("%d of %v: lines at %v, want %v", test.kind, test.values, s.ticks, test.ticks)
		}
		for _, v := range slices.Concat(test.values, s.ticks) {
			if at := s.place(v); !(at > -1e-9 && at < 1+1e-9) {
				t.Errorf("%d of %v: %v lies at %v", test.kind, test.values, v, at)
			}
		}
	}
}
