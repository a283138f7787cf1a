package memorymap

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// SVG draws the pools of a snapshot, for light and dark backgrounds. The image is self-contained.
func SVG(w io.Writer, s *poolrt.Snapshot) error {
	p := newPage(s)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "<svg xmlns=%q viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n<title>%s</title>\n%s<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n",
		"http://www.w3.org/2000/svg", p.width, p.height, p.width, p.height, html.EscapeString(p.about), svgStyle(), p.width, p.height)
	for _, l := range p.labels {
		anchor := ""
		if l.end {
			anchor = ` text-anchor="end"`
		}
		fmt.Fprintf(out, "<text class=%q x=\"%d\" y=\"%d\"%s>%s</text>\n", inks[l.ink], l.x, l.y, anchor, html.EscapeString(l.text))
	}
	for i := range p.strips {
		p.strips[i].svg(out)
	}
	fmt.Fprint(out, "</svg>\n")
	return out.Flush()
}

var inks = [...]string{plain: "plain", title: "title", faint: "faint"}

// svg writes the row: a path for each state.
func (t *strip) svg(out io.Writer) {
	var paths [states]strings.Builder
	for _, g := range t.runs {
		for _, r := range g.rects(t.x, t.y, t.high) {
			fmt.Fprintf(&paths[r.state], "M%d %dh%dv%dh-%dz", r.x, r.y, r.w, r.h, r.w)
		}
	}
	fmt.Fprintf(out, "<g><title>%s</title>", html.EscapeString(t.about))
	for s := range paths {
		if paths[s].Len() > 0 {
			fmt.Fprintf(out, "<path class=%q d=%q/>", looks[s].name, paths[s].String())
		}
	}
	fmt.Fprint(out, "</g>\n")
}

// Patterns of 6 by 6 pixels: lines on a background.
const svgPattern = `<pattern id="lines-%[1]s" width="6" height="6" patternUnits="userSpaceOnUse"><path class="ground-%[1]s" d="M0 0h6v6h-6z"/><path class="ink-%[1]s" d="%[2]s"/></pattern>
`

var svgLines = map[byte]string{'/': "M-1.5 1.5l3 -3M0 6l6 -6M4.5 7.5l3 -3", '-': "M0 1.5h6M0 4.5h6"}

// svgStyle is derived from the table of states.
func svgStyle() string {
	var patterns, light, dark strings.Builder
	for _, l := range looks {
		if l.lines == 0 {
			fmt.Fprintf(&light, ".%s { fill: %s }\n", l.name, l.light.fill)
			fmt.Fprintf(&dark, ".%s { fill: %s }\n", l.name, l.dark.fill)
			continue
		}
		fmt.Fprintf(&patterns, svgPattern, l.name, svgLines[l.lines])
		fmt.Fprintf(&light, ".%[1]s { fill: url(#lines-%[1]s) } .ground-%[1]s { fill: %[2]s } .ink-%[1]s { stroke: %[3]s }\n", l.name, l.light.fill, l.light.lines)
		fmt.Fprintf(&dark, ".ground-%[1]s { fill: %[2]s } .ink-%[1]s { stroke: %[3]s }\n", l.name, l.dark.fill, l.dark.lines)
	}
	return "<style>\ntext { font: 12px sans-serif; fill: #17202e } .title { font-size: 14px; font-weight: bold } .faint { fill: #566377 } .ground { fill: #fff }\n" + light.String() +
		"@media (prefers-color-scheme: dark) {\ntext { fill: #e7ecf4 } .faint { fill: #9aa8bc } .ground { fill: #141a24 }\n" + dark.String() + "}\n</style>\n<defs>\n" +
		patterns.String() + "</defs>\n"
}
