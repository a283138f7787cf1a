// Package chart draws lines and dots as one SVG for light and dark backgrounds. It has only what poolgen's own commands need.
package chart

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
)

// Panel is one chart.
type Panel struct {
	Title string
	X, Y  Axis
	lines []*line
}

// line has the values of one subject.
type line struct {
	name string
	bold bool
	dots bool // drawn as dots, not joined
	x, y []float64
}

// Add adds a point to the line of that name. It ignores a point with an infinite coordinate or NaN.
func (p *Panel) Add(name string, bold bool, x, y float64) { p.add(line{name: name, bold: bold}, x, y) }

// Dot adds a dot of that name in the same way.
func (p *Panel) Dot(name string, x, y float64) { p.add(line{name: name, dots: true}, x, y) }

// add adds a point to the line of that name, or to the one given if there is none.
func (p *Panel) add(fresh line, x, y float64) {
	if math.IsInf(x, 0) || math.IsNaN(x) || math.IsInf(y, 0) || math.IsNaN(y) {
		return
	}
	i := slices.IndexFunc(p.lines, func(l *line) bool { return l.name == fresh.name })
	if i < 0 {
		i = len(p.lines)
		p.lines = append(p.lines, &fresh)
	}
	l := p.lines[i]
	l.x, l.y = append(l.x, x), append(l.y, y)
}

// Measures in pixels.
const (
	width, height = 430, 300 // of a panel's plot
	left, right   = 70, 180  // margins: figures of the axis, names of the lines
	above, below  = 40, 45
	across        = 2  // panels in a row
	pitch         = 13 // least distance of two names
)

// style serves light and dark backgrounds. Most colour-blind readers can tell the colours apart.
const style = `<style>
text { font: 12px sans-serif; fill: #333 } .title { font-size: 14px; font-weight: bold } .grid { stroke: #8884; fill: none }
.ground { fill: #fff } polyline { fill: none; stroke-width: 1.3 } .bold polyline { stroke-width: 2.6 } .bold text { font-weight: bold }
@media (prefers-color-scheme: dark) { text { fill: #ccc } .ground { fill: #16181d } }
</style>
`

var colours = []string{"#0b84c6", "#e07b00", "#1a9e5c", "#c64191", "#8a63d2", "#a58a00", "#d1493f", "#4d8f99", "#7b7f86", "#9c6b4e"}

// SVG draws the panels.
func SVG(panels []Panel) string {
	columns := min(across, max(len(panels), 1))
	rows := (len(panels) + columns - 1) / columns
	w, h := columns*(left+width+right), rows*(above+height+below)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=%q viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n%s<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n",
		"http://www.w3.org/2000/svg", w, h, w, h, style, w, h)
	for i := range panels {
		fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">\n", i%columns*(left+width+right)+left, i/columns*(above+height+below)+above)
		panels[i].draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// frame converts values to pixels.
type frame struct{ across, up scale }

func (f frame) x(v float64) float64 { return width * f.across.place(v) }
func (f frame) y(v float64) float64 { return height * (1 - f.up.place(v)) }

// frame returns a frame for all points.
func (p *Panel) frame() frame {
	var x, y []float64
	for _, l := range p.lines {
		x, y = append(x, l.x...), append(y, l.y...)
	}
	return frame{p.X.scale(x), p.Y.scale(y)}
}

func (p *Panel) draw(b *strings.Builder) {
	fmt.Fprintf(b, "<text class=\"title\" x=\"0\" y=\"-16\">%s</text>\n", escaped(p.Title))
	if len(p.lines) == 0 {
		return
	}
	f := p.frame()
	for _, v := range f.up.ticks {
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M0 %.1fh%d\"/><text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", f.y(v), width, f.y(v)+4, p.Y.name(v))
	}
	fmt.Fprintf(b, "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", 16-left, height/2, escaped(p.Y.Label))
	for _, v := range f.across.ticks {
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f 0v%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", f.x(v), height, f.x(v), height+17, p.X.name(v))
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", width/2, height+34, escaped(p.X.Label))
	at := p.names(f)
	for i, l := range p.lines {
		l.draw(b, f, colours[i%len(colours)], at[i], p.Y)
	}
}

// draw draws one line, or dots, and its name beside the plot.
func (l *line) draw(b *strings.Builder, f frame, colour string, at float64, y Axis) {
	class := "plain"
	if l.bold {
		class = "bold"
	}
	last := len(l.y) - 1
	fmt.Fprintf(b, "<g class=%q stroke=%q>", class, colour)
	if l.dots {
		for k := range l.x {
			fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=%q stroke=\"none\"/>", f.x(l.x[k]), f.y(l.y[k]), colour)
		}
		fmt.Fprintf(b, "<circle cx=\"%d\" cy=\"%.1f\" r=\"3\" fill=%q stroke=\"none\"/><text stroke=\"none\" style=\"fill:%s\" x=\"%d\" y=\"%.1f\">%s</text></g>\n",
			width+10, at, colour, colour, width+17, at+4, escaped(l.name))
		return
	}
	var points []string
	for k := range l.x {
		points = append(points, fmt.Sprintf("%.1f,%.1f", f.x(l.x[k]), f.y(l.y[k])))
	}
	fmt.Fprintf(b, "<polyline points=%q/><path fill=\"none\" d=\"M%.1f %.1fL%d %.1f\" stroke-opacity=\".5\"/>",
		strings.Join(points, " "), f.x(l.x[last]), f.y(l.y[last]), width+14, at)
	fmt.Fprintf(b, "<text stroke=\"none\" style=\"fill:%s\" x=\"%d\" y=\"%.1f\">%s %s</text></g>\n", colour, width+17, at+4, escaped(l.name), y.name(l.y[last]))
}

// escaped returns a name as XML text.
func escaped(name string) string { return html.EscapeString(figure.Plain(name)) }

// names returns the height of each line's name: that of the line's end, moved where names would overlap.
func (p *Panel) names(f frame) []float64 {
	order := make([]int, len(p.lines))
	at := make([]float64, len(p.lines))
	for i, l := range p.lines {
		order[i], at[i] = i, f.y(l.y[len(l.y)-1])
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(at[i], at[j]) })
	next := 0.0
	for _, i := range order {
		at[i] = max(at[i], next)
		next = at[i] + pitch
	}
	lowest := float64(height) + pitch // names below the plot move up again
	for _, i := range slices.Backward(order) {
		at[i] = min(at[i], lowest-pitch)
		lowest = at[i]
	}
	return at
}
