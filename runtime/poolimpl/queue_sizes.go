package poolimpl

import "math/bits"

// sizeTable maps sizes to numbers other than 0. It is a hash table with linear probing, of which at least half is unused. It grows with the number of sizes
// that it has at once, and takes 16 bytes for each cell. Each method costs a few nanoseconds. The zero value is empty and ready.
type sizeTable struct {
	cells []sizeCell // a power of two, or none
	shift uint8      // the bits of a hash that are no index
	used  int
}

// sizeCell is a size and its number; 0: unused.
type sizeCell struct {
	bytes  uint64
	number int32
}

// noSize is the only cell of an empty table.
var noSize = []sizeCell{{}}

// at returns the cell of a size or, if the table does not have it, an unused cell, which the caller does not write.
func (t *sizeTable) at(bytes uint64) *sizeCell {
	cells := t.cells
	for i := t.home(bytes); len(cells) > 0; i++ {
		if c := &cells[i&(len(cells)-1)]; c.bytes == bytes || c.number == 0 {
			return c
		}
	}
	return &noSize[0]
}

// claim returns the cell of a size. If the table does not have the size, its number is 0, and the caller sets it.
func (t *sizeTable) claim(bytes uint64) *sizeCell {
	c := t.at(bytes)
	if c.number == 0 {
		if t.used++; 2*t.used > len(t.cells) {
			t.grow()
			c = t.at(bytes)
		}
		c.bytes = bytes
	}
	return c
}

// remove removes the size of a cell. The cells behind it move up, so that no search ends early.
func (t *sizeTable) remove(c *sizeCell) {
	mask := len(t.cells) - 1
	hole := t.home(c.bytes) & mask
	for &t.cells[hole] != c {
		hole = (hole + 1) & mask
	}
	t.used--
	for i := (hole + 1) & mask; t.cells[i].number != 0; i = (i + 1) & mask {
		if (i-t.home(t.cells[i].bytes))&mask >= (i-hole)&mask { // the cell may move to the hole
			t.cells[hole] = t.cells[i]
			hole = i
		}
	}
	t.cells[hole] = sizeCell{}
}

// home returns the index where the search for a size begins.
func (t *sizeTable) home(bytes uint64) int { return int(bytes * 0x9e3779b97f4a7c15 >> t.shift) }

// grow doubles the number of cells.
func (t *sizeTable) grow() {
	old := t.cells
	t.cells = make([]sizeCell, max(8, 2*len(old)))
	t.shift = uint8(65 - bits.Len(uint(len(t.cells))))
	for _, c := range old {
		if c.number != 0 {
			*t.at(c.bytes) = c
		}
	}
}
