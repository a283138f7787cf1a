// Package chart draws lines over a number of threads, both axes by powers, as one SVG that can be read on light and on dark ground. It is what tests/bench
// needs of that and no more.
package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Panel is one chart.
type Panel struct {
	Title string
	lines []*line
}

// line is the values of one subject.
type line struct {
	name string
	ours bool // drawn bold
	x, y []float64
}

// Add adds a point to the line of that name.
func (p *Panel) Add(name string, ours bool, threads, value float64) {
	i := slices.IndexFunc(p.lines, func(l *line) bool { return l.name == name })
	if i < 0 {
		i = len(p.lines)
		p.lines = append(p.lines, &line{name: name, ours: ours})
	}
	l := p.lines[i]
	l.x, l.y = append(l.x, threads), append(l.y, value)
}

// Measures in pixels.
const (
	width, height = 430, 300 // of a panel's plot
	left, right   = 60, 170  // room beside it: figures of the axis, names of the lines
	above, below  = 40, 45
	across        = 2  // panels in a row
	pitch         = 13 // least distance of two names
)

// style serves light and dark ground. The colours keep apart for most who see few of them.
const style = `<style>
text { font: 12px sans-serif; fill: #333 } .title { font-size: 14px; font-weight: bold } .grid { stroke: #8884; fill: none }
.ground { fill: #fff } polyline { fill: none; stroke-width: 1.3 } .ours polyline { stroke-width: 2.6 } .ours text { font-weight: bold }
@media (prefers-color-scheme: dark) { text { fill: #ccc } .ground { fill: #16181d } }
</style>
`

var colours = []string{"#0b84c6", "#e07b00", "#1a9e5c", "#c64191", "#8a63d2", "#a58a00", "#d1493f", "#4d8f99", "#7b7f86", "#9c6b4e"}

// SVG draws the panels, millions of operations a second over threads.
func SVG(panels []Panel) string {
	rows := (len(panels) + across - 1) / across
	w, h := across*(left+width+right), rows*(above+height+below)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=%q viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n%s<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n",
		"http://www.w3.org/2000/svg", w, h, w, h, style, w, h)
	for i := range panels {
		fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">\n", i%across*(left+width+right)+left, i/across*(above+height+below)+above)
		panels[i].draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// frame turns values into pixels.
type frame struct{ threads, low, high float64 }

func (f frame) x(threads float64) float64 {
	return width * math.Log2(threads) / max(math.Log2(f.threads), 1)
}

func (f frame) y(v float64) float64 {
	return height * (1 - math.Log10(v/f.low)/math.Log10(f.high/f.low))
}

// frame holds all points, with whole powers of ten at its ends.
func (p *Panel) frame() frame {
	f := frame{1, math.Inf(1), 0}
	for _, l := range p.lines {
		f.threads = max(f.threads, slices.Max(l.x))
		f.low, f.high = min(f.low, slices.Min(l.y)), max(f.high, slices.Max(l.y))
	}
	f.low, f.high = math.Pow(10, math.Floor(math.Log10(f.low))), math.Pow(10, math.Ceil(math.Log10(f.high)))
	return f
}

func (p *Panel) draw(b *strings.Builder) {
	f := p.frame()
	fmt.Fprintf(b, "<text class=\"title\" x=\"0\" y=\"-16\">%s</text>\n", html.EscapeString(p.Title))
	for v := f.low; v <= f.high*1.01; v *= 10 {
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M0 %.1fh%d\"/><text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", f.y(v), width, f.y(v)+4, v)
	}
	fmt.Fprintf(b, "<text transform=\"translate(-44 %d) rotate(-90)\" text-anchor=\"middle\">million operations a second</text>\n", height/2)
	for n := 1.0; n <= f.threads; n *= 2 {
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f 0v%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", f.x(n), height, f.x(n), height+17, n)
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">threads</text>\n", width/2, height+34)
	at := p.names(f)
	for i, l := range p.lines {
		c := colours[i%len(colours)]
		class := "peer"
		if l.ours {
			class = "ours"
		}
		var points []string
		for k := range l.x {
			points = append(points, fmt.Sprintf("%.1f,%.1f", f.x(l.x[k]), f.y(l.y[k])))
		}
		end := l.y[len(l.y)-1]
		fmt.Fprintf(b, "<g class=%q stroke=%q><polyline points=%q/><path fill=\"none\" d=\"M%.1f %.1fL%d %.1f\" stroke-opacity=\".5\"/>", class, c,
			strings.Join(points, " "), f.x(l.x[len(l.x)-1]), f.y(end), width+14, at[i])
		fmt.Fprintf(b, "<text stroke=\"none\" style=\"fill:%s\" x=\"%d\" y=\"%.1f\">%s %.3g</text></g>\n", c, width+17, at[i]+4, html.EscapeString(l.name), end)
	}
}

// names returns how high the name of each line stands: as high as the line ends, but no two on top of each other.
func (p *Panel) names(f frame) []float64 {
	order := make([]int, len(p.lines))
	at := make([]float64, len(p.lines))
	for i, l := range p.lines {
		order[i], at[i] = i, f.y(l.y[len(l.y)-1])
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if at[i] < at[j] {
			return -1
		}
		return 1
	})
	next := 0.0
	for _, i := range order {
		at[i] = max(at[i], next)
		next = at[i] + pitch
	}
	lowest := float64(height) + pitch // those that came to lie below the plot move up again
	for _, i := range slices.Backward(order) {
		at[i] = min(at[i], lowest-pitch)
		lowest = at[i]
	}
	return at
}
