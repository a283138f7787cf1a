package memorymap

import (
	"bytes"
	_ "embed"
	"image"
	"image/png"
	"sync"
)

// fontFile has the letters from space to ~ side by side, black on white: those of 7x13 of the fonts misc-fixed of the X Window System, which are in the public
// domain ("Public domain font. Share and enjoy.").
//
//go:embed font.png
var fontFile []byte

// A letter of the font.
const (
	letterWide = letters
	letterHigh = 13
	ascent     = 11 // above the baseline
	firstRune  = ' '
	lastRune   = '~'
)

var font = sync.OnceValue(func() image.Image {
	img, err := png.Decode(bytes.NewReader(fontFile))
	if err != nil {
		panic(err) // the font is part of the program
	}
	return img
})

// write draws the text. Titles are drawn twice, a pixel apart, which makes them bold; ? replaces letters that the font does not have.
func (l label) write(img *image.Paletted) {
	c, again := uint8(plainColour), 0
	switch l.ink {
	case faint:
		c = faintColour
	case title:
		again = 1
	}
	x := l.x
	if l.end {
		x -= letterWide * len([]rune(l.text))
	}
	for _, r := range l.text {
		if r < firstRune || r > lastRune {
			r = '?'
		}
		for dx := 0; dx <= again; dx++ {
			letter(img, x+dx, l.y-ascent, int(r-firstRune), c)
		}
		x += letterWide
	}
}

// letter draws one letter.
func letter(img *image.Paletted, x, y, number int, c uint8) {
	sheet := font()
	for dy := range letterHigh {
		for dx := range letterWide {
			if ink, _, _, _ := sheet.At(number*letterWide+dx, dy).RGBA(); ink == 0 && (image.Point{X: x + dx, Y: y + dy}).In(img.Rect) {
				img.SetColorIndex(x+dx, y+dy, c)
			}
		}
	}
}
