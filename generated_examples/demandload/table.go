package main

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// tableLength is how many pages all textures together can have.
const tableLength = 16 << 10

// table is the page table on the device: two arrays with a number for each page.
type table struct {
	there TableSpan // 1: the page has memory that holds its texels
	seen  TableSpan // the last frame that saw it, so that the many pixels that see a page make one request
}

// newTable makes a table in which no page is there and none was seen.
func newTable(p *TablePool, s cuda.Stream) (t table, err error) {
	if t.there, err = p.AllocOn(tableLength, s); err != nil {
		return t, err
	}
	if t.seen, err = p.AllocOn(tableLength, s); err != nil {
		return t, errors.Join(err, p.FreeOn(t.there, s))
	}
	if err = errors.Join(t.there.Zero(s), t.seen.Zero(s)); err != nil {
		err = errors.Join(err, t.free(p, s))
	}
	return t, err
}

// free gives the table back behind what the stream does with it.
func (t table) free(p *TablePool, s cuda.Stream) error {
	return errors.Join(p.FreeOn(t.there, s), p.FreeOn(t.seen, s))
}
