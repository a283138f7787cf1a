package memorymap

import (
	"fmt"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Measures of an image in pixels.
const (
	margin   = 20
	imageMap = 768 // a row; three times a power of two, so that few bytes per pixel are odd
	places   = 152 // left margin, for addresses
	besides  = 124 // right margin, for the figures of a chunk
	imageAll = margin + places + imageMap + besides + margin
	bar      = 14 // height of a row
	swatch   = 12
	letters  = 7 // about the width of a letter

	lineLetters  = (imageAll - 2*margin) / letters
	titleLetters = lineLetters * 3 / 4 // they are bold
	// imagePerBlock is the mean width of a block in pixels, if there is room.
	imagePerBlock = 8
)

// ink is the style of text.
type ink int

const (
	plain ink = iota
	title
	faint
)

// label is a line of text.
type label struct {
	x, y int // of its start, or end; of the line it stands on
	ink  ink
	end  bool
	text string
}

// strip is a row of runs, with its text.
type strip struct {
	x, y, high int
	runs       []run
	about      string
}

// page is the layout of an image.
type page struct {
	width, height int
	about         string
	labels        []label
	strips        []strip // the legend's have one run each
}

func (p *page) text(x, y int, i ink, format string, args ...any) {
	p.labels = append(p.labels, label{x: x, y: y, ink: i, text: fmt.Sprintf(format, args...)})
}

// newPage lays out a snapshot.
func newPage(s *poolrt.Snapshot) *page {
	p := &page{width: imageAll, height: margin}
	p.about = fmt.Sprintf("Memory of %s, %s", figure.CutFront(figure.Plain(s.Program), 60), s.Time.Format(time.DateTime))
	p.height += 14
	p.text(margin, p.height, title, "%s", p.about)
	p.height += 24
	p.legend(s)
	for i := range s.Pools {
		p.pool(&s.Pools[i], imageRows(len(s.Pools)))
	}
	if len(s.Pools) == 0 {
		p.height += 20
		p.text(margin, p.height, plain, "no pools")
	}
	p.height += margin
	return p
}

// imageRows returns how many rows a pool may have: more if there are few pools.
func imageRows(pools int) int { return max(8, 160/max(pools, 4)) }

// legend names the states that occur.
func (p *page) legend(s *poolrt.Snapshot) {
	var all amounts
	for i := range s.Pools {
		for k := range s.Pools[i].Chunks {
			all.join(inStates(&s.Pools[i].Chunks[k]))
		}
	}
	x := margin
	for _, state := range stack {
		if all[state] == 0 {
			continue
		}
		one := run{Columns: swatch, Pieces: 1}
		one.Bytes[state] = 1
		p.strips = append(p.strips, strip{x, p.height - swatch + 2, swatch, []run{one}, Name(state)})
		p.text(x+swatch+6, p.height, plain, "%s", Name(state))
		x += swatch + 6 + letters*len(Name(state)) + 20
	}
	if x > margin {
		p.text(x, p.height, faint, "where pieces are narrower than a pixel, a bar shows how much is what")
	}
}

// pool adds a pool.
func (p *page) pool(s *poolrt.PoolSnapshot, rows int) {
	p.height += 36
	p.text(margin, p.height, title, "%s", figure.Cut(figure.Plain(s.Name), titleLetters))
	list := layOut(s.Chunks, imageMap, rows, imagePerBlock)
	p.height += 18
	p.text(margin, p.height, faint, "%s", figure.Cut(Kind(s)+scaleOf(s, list), lineLetters))
	for _, line := range figures(s) {
		p.height += 18
		p.text(margin, p.height, plain, "%s", figure.Cut(line, lineLetters))
	}
	p.height += 10
	for i := range list {
		p.row(s, list, i)
	}
}

// row adds a row.
func (p *page) row(s *poolrt.PoolSnapshot, list []mapRow, i int) {
	r := &list[i]
	if r.Start && i > 0 {
		p.height += 4
	}
	shade := faint
	if r.Start {
		shade = plain
		p.text(margin+places+imageMap+10, p.height+bar-3, faint, "%s", about(list[i:], s.Unit))
	}
	p.labels = append(p.labels, label{margin + places - 10, p.height + bar - 3, shade, true, Place(s, r.Addr)})
	p.strips = append(p.strips, strip{margin + places, p.height, bar, r.runs(), rowAbout(s, r)})
	p.height += bar + 1
}
