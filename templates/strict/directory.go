package strict

import "math/bits"

// directory finds the chunk of an address among several. The addresses from the first chunk's start to the last one's are divided into a few times
// as many equal parts as there are chunks, so that a part, as chunks lie, has the start of one or none. Where many start close to each other,
// halving is left.
type directory struct {
	low   uint64   // start of the first chunk
	shift int      // a part is so many bits long
	last  []uint32 // the last chunk that starts at or below the beginning of a part; for one part more than there are
}

// newDirectory makes the directory of chunks that start at these addresses, ascending.
func newDirectory(starts []uint64) directory {
	n := len(starts)
	d := directory{low: starts[0]}
	span := starts[n-1] - d.low
	for span>>d.shift >= 4*uint64(n) {
		d.shift++
	}
	d.last = make([]uint32, span>>d.shift+2)
	at := 0
	for i := range d.last[:len(d.last)-1] {
		for at+1 < n && starts[at+1]-d.low <= uint64(i)<<d.shift {
			at++
		}
		d.last[i] = uint32(at)
	}
	d.last[len(d.last)-1] = uint32(n - 1)
	return d
}

// search returns the chunk that an address lies in, if any does, in a table of several.
func (t *table) search(addr uint64) *chunk {
	d := &t.where
	i := (addr - d.low) >> d.shift
	if i >= uint64(len(d.last)-1) {
		return t.order[len(t.order)-1] // below the first one, too: it lies in none then
	}
	at := int(d.last[i])
	for n := int(d.last[i+1]) - at + 1; n > 1; { // without a branch that would be mispredicted every other time
		half := n / 2
		_, below := bits.Sub64(addr, t.starts[at+half], 0)
		at += half & int(below-1)
		n -= half
	}
	return t.order[at]
}
