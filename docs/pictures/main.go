// Command pictures draws the pictures of the pages in docs:
//
//	go run ./docs/pictures
//
// writes them, from the root of the repository. What they show stands in the tables of tables.go.
package main

import (
	"fmt"
	"html"
	"log"
	"os"
	"strings"
)

// picture is drawn on a ground of 800 pixels, the width of a page, so that its text has the size of the page's.
type picture struct {
	name, page string // of its file, and of the page that shows it
	height     int
	boxes      []box
	arrows     []arrow
}

// box is a rectangle with lines of text. If it has several, the first is its title. A note has no outline, and a frame holds other boxes: its text is at
// the bottom, as arrows come from above.
type box struct {
	look       string // a class of style
	x, y, w, h int
	text       string
}

// arrow leads from one box to another, each named by the beginning of its text. Its place is the x of a vertical arrow and the y of a level one.
type arrow struct {
	from, to string
	at       int
	label    string
}

const width, leading = 800, 18 // leading is the height of a line of text

// style serves light and dark backgrounds in one file. If a page has another scheme than the browser, as GitHub's may, the browser decides which one an
// image gets: pictures have a ground, so that they can be read on either. States of blocks have the colours of memory maps.
const style = `<style>
text { font: 14px sans-serif; fill: #17202e; text-anchor: middle } .title { font-weight: bold } .label { text-anchor: start }
.above, .label { paint-order: stroke; stroke: #fff; stroke-width: 4px } .ground { fill: #fff }
rect { stroke: #566377; fill: #fff } rect.note, rect.ground { stroke: none } rect.frame, rect.set { stroke-dasharray: 5 4 } rect.frame { fill: #f4f6fa }
rect.free, rect.work { fill: #dfe5ee } rect.live { fill: #2b6fd6 } rect.pending { fill: #e8a33d } rect.fence { fill: #84395a }
text.live, text.fence { fill: #fff } text.pending { fill: #17202e } rect.note { fill: none } path { stroke: #566377; fill: none } .head { fill: #566377 }
@media (prefers-color-scheme: dark) {
text { fill: #e7ecf4 } .above, .label { stroke: #141a24 } rect, .ground { fill: #141a24; stroke: #9aa8bc } rect.frame { fill: #1b2230 }
rect.free, rect.work { fill: #2a3546 } rect.live { fill: #4c94ff } rect.pending { fill: #e0a040 } rect.fence { fill: #f0b9d0 }
text.live, text.fence { fill: #141a24 } path { stroke: #9aa8bc } .head { fill: #9aa8bc }
}
</style>
`

func main() {
	for _, p := range pictures {
		if err := os.WriteFile("docs/pictures/"+p.name+".svg", []byte(p.svg()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// svg draws frames and boxes in the order of the table, then the arrows.
func (p *picture) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=%q viewBox=\"0 0 %d %d\" width=\"%[2]d\" height=\"%[3]d\">\n%s<rect class=\"ground\" width=\"%[2]d\" height=\"%[3]d\"/>\n",
		"http://www.w3.org/2000/svg", width, p.height, style)
	for _, box := range p.boxes {
		box.draw(&b)
	}
	for _, a := range p.arrows {
		a.draw(&b, p.find(a.from), p.find(a.to))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// find returns the first box whose text begins with a name, or an empty one.
func (p *picture) find(name string) box {
	for _, box := range p.boxes {
		if strings.HasPrefix(box.text, name) {
			return box
		}
	}
	return box{}
}

func (x box) draw(b *strings.Builder) {
	fmt.Fprintf(b, "<rect class=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", x.look, x.x, x.y, x.w, x.h)
	lines := strings.Split(x.text, "\n")
	y := x.y + (x.h-len(lines)*leading)/2 + 14 // of the first line's foot
	if x.look == "frame" {
		y = x.y + x.h - 10
	}
	for i, line := range lines {
		class := x.look
		if i == 0 && (len(lines) > 1 || x.look == "frame") {
			class += " title"
		}
		write(b, class, x.x+x.w/2, y+i*leading, line)
	}
}

// draw draws the arrow from the edge of one box to that of the other.
func (a arrow) draw(b *strings.Builder, from, to box) {
	switch {
	case to.y >= from.y+from.h:
		a.line(b, a.at, from.y+from.h, a.at, to.y, "l-4 -8h8z")
	case from.y >= to.y+to.h:
		a.line(b, a.at, from.y, a.at, to.y+to.h, "l-4 8h8z")
	case to.x >= from.x+from.w:
		a.line(b, from.x+from.w, a.at, to.x, a.at, "l-8 -4v8z")
	default:
		a.line(b, from.x, a.at, to.x+to.w, a.at, "l8 -4v8z")
	}
}

// line writes the arrow's label on the right of a vertical line, and above a level one.
func (a arrow) line(b *strings.Builder, x1, y1, x2, y2 int, head string) {
	fmt.Fprintf(b, "<path d=\"M%d %dL%d %d\"/><path class=\"head\" d=\"M%[3]d %[4]d%s\"/>\n", x1, y1, x2, y2, head)
	if x1 == x2 {
		write(b, "label", x1+8, (y1+y2)/2+5, a.label)
	} else {
		write(b, "above", (x1+x2)/2, y1-6, a.label)
	}
}

func write(b *strings.Builder, class string, x, y int, text string) {
	if text != "" {
		fmt.Fprintf(b, "<text class=%q x=\"%d\" y=\"%d\">%s</text>\n", class, x, y, html.EscapeString(text))
	}
}
