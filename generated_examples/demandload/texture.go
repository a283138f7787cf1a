package main

import (
	"container/list"
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cuda"
)

// A page, which is loaded and dropped at a time, is this wide and high in texels, in all formats.
const (
	pageShift = 8
	pageSide  = 1 << pageShift
)

// Image is where the texels of a texture come from: it fills dst with the page whose upper left texel is x, y, row by row.
// A program would read a file here.
type Image func(dst []byte, x, y int)

// Texture is a sparse array, of which only the pages have memory that were seen lately.
type Texture struct {
	array         cuda.SparseArray
	columns, rows int // pages
	channels      int // bytes of a texel
	image         Image
	entries       EntryIDs // of its pages in the table
	sampler       SamplerPtr
}

// Sampler is a texture as kernels see it.
type Sampler struct {
	First         uint32 // entry of the page in the upper left corner
	Columns, Rows uint32 // pages
	Shift         uint32 // from texels to pages
}

// page is a page of a texture.
type page struct {
	texture *Texture
	number  EntryID       // in the page table
	x, y    int           // texels
	tiles   PageTiles     // none: it is not there
	place   *list.Element // among the residents
	seen    uint32        // by which frame
}

// AddTexture makes a texture of so many pages and channels of a byte: 1, 2 or 4. It has no memory yet.
func (l *Loader) AddTexture(columns, rows, channels int, image Image) (*Texture, error) {
	t := &Texture{columns: columns, rows: rows, channels: channels, image: image}
	var err error
	t.array, err = l.Device.NewSparseArray(cuda.SparseDesc{
		Width: int64(columns) * pageSide, Height: int64(rows) * pageSide, Format: cuda.Uint8, Channels: channels,
	})
	if err != nil {
		return nil, err
	}
	shape, err := t.array.Tiles()
	if err == nil && (pageSide%shape.Width != 0 || pageSide%shape.Height != 0) {
		err = fmt.Errorf("tiles of %d x %d texels do not make up a page", shape.Width, shape.Height)
	}
	if err == nil {
		err = l.enter(t)
	}
	if err != nil {
		return nil, errors.Join(err, t.array.Close())
	}
	return t, l.later(func() error { return l.remove(t) }, nil)
}

// enter gives a texture its entries of the page table, and tells the device.
func (l *Loader) enter(t *Texture) (err error) {
	if t.entries, err = l.pools.entries.Alloc(t.columns * t.rows); err != nil {
		return err
	}
	if t.sampler, err = l.pools.samplers.Alloc(); err != nil {
		return errors.Join(err, l.pools.entries.Free(t.entries))
	}
	s := Sampler{First: uint32(t.entries.First()), Columns: uint32(t.columns), Rows: uint32(t.rows), Shift: pageShift}
	if err = t.sampler.CopyFrom(&s, l.view); err != nil {
		return errors.Join(err, l.pools.samplers.Free(t.sampler), l.pools.entries.Free(t.entries))
	}
	for i := range t.columns * t.rows {
		l.pages[t.entries.At(i)] = page{texture: t, number: t.entries.At(i), x: i % t.columns * pageSide, y: i / t.columns * pageSide}
	}
	return nil
}

// remove ends a texture that nothing is at work with and that has no pages any more.
func (l *Loader) remove(t *Texture) error {
	return errors.Join(t.array.Close(), l.pools.samplers.Free(t.sampler), l.pools.entries.Free(t.entries))
}

// bytes is the size of a page.
func (p *page) bytes() int { return pageSide * pageSide * p.texture.channels }

// binding puts tiles behind the page; without any it takes away what is there.
func (p *page) binding(tiles PageTiles) cuda.Binding {
	b := cuda.Binding{X: p.x, Y: p.y, Width: pageSide, Height: pageSide, Depth: 1}
	if tiles.Len() > 0 {
		b.Memory, b.Offset = tiles.Memory(), tiles.Offset()
	}
	return b
}

// String names the page for messages.
func (p *page) String() string {
	return fmt.Sprintf("page %d, %d of a texture of %d x %d pages", p.x/pageSide, p.y/pageSide, p.texture.columns, p.texture.rows)
}
