package strict

import "math/bits"

// directory finds the chunk of an address among several. It divides the addresses from the start of the first chunk to the start of the last into
// parts of equal length, up to four for each chunk. As a rule a part contains the start of one chunk at most. A binary search looks through
// parts that contain more.
type directory struct {
	low   uint64   // start of the first chunk
	shift int      // a part is 1<<shift bytes long
	last  []uint32 // by part: the last chunk that starts at or below the beginning of the part. One more entry is for the end.
}

// newDirectory returns the directory of chunks that start at some addresses, in ascending order.
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

// search returns the chunk that contains an address. For an address in no chunk it returns any. The table must have several chunks.
func (t *table) search(addr uint64) *chunk {
	d := &t.where
	i := (addr - d.low) >> d.shift
	if i >= uint64(len(d.last)-1) {
		return t.order[len(t.order)-1] // also for an address below the first chunk: the subtraction wraps
	}
	at := int(d.last[i])
	for n := int(d.last[i+1]) - at + 1; n > 1; { // no branch: it would be mispredicted every other time
		half := n / 2
		_, below := bits.Sub64(addr, t.starts[at+half], 0)
		at += half & int(below-1)
		n -= half
	}
	return t.order[at]
}
