package memorymap

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// tallest bounds the height of a PNG in pixels. Viewers refuse much more, and it would be 17 MB of pixels.
const tallest = 1 << 14

// Colours of a PNG, before those of the states: two for each.
const (
	groundColour = iota
	plainColour
	faintColour
	stateColours
)

// palette is for a light background, because an image may be printed.
func palette() color.Palette {
	list := color.Palette{rgb("#ffffff"), rgb("#17202e"), rgb("#566377")}
	for _, l := range looks {
		list = append(list, rgb(l.light.fill), rgb(cmp.Or(l.light.lines, l.light.fill)))
	}
	return list
}

// rgb reads #rrggbb.
func rgb(text string) color.Color {
	n, _ := strconv.ParseUint(text[1:], 16, 24)
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

// PNG draws the pools of a snapshot. It fails if the snapshot has so many pools that the image would be too high for most viewers.
func PNG(w io.Writer, s *poolrt.Snapshot) error {
	p := newPage(s)
	if p.height > tallest {
		return fmt.Errorf("an image of %d pools would be %d pixels high, and %d is the most: draw some of them, or an SVG", len(s.Pools), p.height, tallest)
	}
	img := image.NewPaletted(image.Rect(0, 0, p.width, p.height), palette())
	for _, t := range p.strips {
		for _, g := range t.runs {
			for _, r := range g.rects(t.x, t.y, t.high) {
				r.fill(img)
			}
		}
	}
	for _, l := range p.labels {
		l.write(img)
	}
	return png.Encode(w, img)
}

// fill paints the rectangle. The lines of a pattern continue in the next rectangle.
func (r rect) fill(img *image.Paletted) {
	first, lines := uint8(stateColours+2*int(r.state)), looks[r.state].lines
	for y := r.y; y < r.y+r.h; y++ {
		for x := r.x; x < r.x+r.w; x++ {
			c := first
			if lines == '/' && (x+y)%6 < 2 || lines == '-' && y%3 == 0 {
				c++
			}
			img.SetColorIndex(x, y, c)
		}
	}
}
