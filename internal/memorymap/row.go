// Package memorymap draws the chunks of pools in a snapshot as rows, with each piece at its place: as text and as SVG, for poolgen snapshot
// and the demo. Package poolpage has a map of its own.
//
// Both have the same rows. An image shows runs: a piece in its width, or several pieces that share a pixel because they are narrower. Text has
// cells, each of which stands for the same number of bytes.
package memorymap

import (
	"math"
	"math/bits"
	"sort"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// mapRow is a part of a chunk that takes up one line. If a pool has more chunks than there is room for, a row has several chunks.
type mapRow struct {
	Addr    uint64 // of its first byte
	Start   bool   // of a chunk
	Chunks  int
	Columns int // that it takes up, 1 or more
	parts   []part
}

// part is the part of a chunk in a row.
type part struct {
	pieces   poolrt.Pieces
	from, to uint64 // offsets in the chunk
}

// layOut lays out chunks in lines of the given number of columns. There are at most rows lines, twice that in bad cases, and fewer if blocks have
// perBlock columns each in the mean with fewer lines, or if hardly any memory is taken. A column has the same number of bytes in all lines. Lines
// that would show only a hole are left out.
func layOut(chunks []poolrt.ChunkSnapshot, columns, rows, perBlock int) []mapRow {
	if len(chunks) > rows {
		return joined(chunks, columns, (len(chunks)+rows-1)/rows)
	}
	for line := lineBytes(chunks, columns, rows, perBlock); ; line <<= 1 {
		if list := split(chunks, columns, line, 2*rows); list != nil || line >= 1<<63 {
			return list
		}
	}
}

// split returns rows of the given number of bytes each, or none if there would be too many.
func split(chunks []poolrt.ChunkSnapshot, columns int, line uint64, most int) []mapRow {
	list := []mapRow{}
	for i := range chunks {
		c := &chunks[i]
		for from := uint64(0); from < c.Size; {
			size := min(line, c.Size-from)
			r := mapRow{Addr: c.Addr + from, Start: from == 0, Chunks: 1, Columns: share(float64(size), float64(line), columns), parts: []part{{c.Pieces, from, from + size}}}
			from += size
			if end, only := r.parts[0].hole(); only {
				from = max(from, min(end, c.Size)/line*line)
				if !r.Start {
					continue
				}
			}
			if len(list) == most && line < 1<<63 {
				return nil
			}
			list = append(list, r)
		}
	}
	return list
}

// hole reports whether the part is only a hole, and where the hole ends.
func (p part) hole() (end uint64, only bool) {
	i := p.first()
	if i == len(p.pieces) {
		return 0, false
	}
	q := &p.pieces[i]
	return q.Off + q.Size, q.State == poolrt.PieceHole && q.Off+q.Size >= p.to
}

// first returns the number of the first piece that reaches into the part.
func (p part) first() int {
	return sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].Off+p.pieces[i].Size > p.from })
}

// joined returns rows of several neighbouring chunks each.
func joined(chunks []poolrt.ChunkSnapshot, columns, each int) (list []mapRow) {
	most := 0.0
	for len(chunks) > 0 {
		n := min(each, len(chunks))
		r := mapRow{Addr: chunks[0].Addr, Start: true, Chunks: n}
		for _, c := range chunks[:n] {
			r.parts = append(r.parts, part{c.Pieces, 0, c.Size})
		}
		list, chunks, most = append(list, r), chunks[n:], max(most, r.Size())
	}
	for i := range list {
		list[i].Columns = share(list[i].Size(), most, columns)
	}
	return list
}

// share returns the columns of a part of a line.
func share(size, line float64, columns int) int {
	return max(1, int(math.Round(float64(columns)*size/max(line, 1))))
}

// emptyRows bounds the rows for each row of taken memory: blocks alone could require more.
const emptyRows = 4

// lineBytes returns the bytes of a line, a power of two.
func lineBytes(chunks []poolrt.ChunkSnapshot, columns, rows, perBlock int) uint64 {
	var total, taken, largest, blocks, inBlocks float64
	for _, c := range chunks {
		here := 0.0
		for _, p := range c.Pieces {
			size := float64(p.Size)
			if p.State != poolrt.PieceHole {
				here += size
			}
			if p.State != poolrt.PieceHole && p.State != poolrt.PieceFree {
				taken += size
			}
			if p.State == poolrt.PieceLive || p.State == poolrt.PiecePending {
				blocks, inBlocks = blocks+1, inBlocks+size
			}
		}
		total, largest = total+here, max(largest, here)
	}
	want := largest
	if blocks > 0 {
		want = float64(columns) * inBlocks / blocks / float64(perBlock)
	}
	want = max(min(max(want, total/float64(rows)), largest), 1)
	if want >= 1<<63 {
		return 1 << 63
	}
	line := uint64(1) << bits.Len64(uint64(math.Ceil(want))-1)
	for line < 1<<63 && total > emptyRows*math.Ceil(max(taken, 1)/float64(line))*float64(line) {
		line <<= 1
	}
	return line
}

// Size returns how many bytes the row has.
func (r *mapRow) Size() (total float64) {
	for _, p := range r.parts {
		total += float64(p.to - p.from)
	}
	return total
}

// perColumn returns the bytes of a column: the same in each row, except in rows of less than a column.
func perColumn(list []mapRow) (most float64) {
	for i := range list {
		most = max(most, list[i].Size()/float64(list[i].Columns))
	}
	return most
}

// inStates sums the bytes of the row by states.
func (r *mapRow) inStates() (b amounts) {
	r.each(func(s slice) { b.add(s.state, s.size) })
	return b
}

// slice is the part of a piece in a row.
type slice struct {
	state poolrt.PieceState
	size  uint64
	ends  bool // the piece begins and ends within the row
}

// each calls f for each slice of the row.
func (r *mapRow) each(see func(slice)) {
	for _, p := range r.parts {
		for i := p.first(); i < len(p.pieces) && p.pieces[i].Off < p.to; i++ {
			q := &p.pieces[i]
			from, to := max(q.Off, p.from), min(q.Off+q.Size, p.to)
			see(slice{q.State, to - from, to == q.Off+q.Size})
		}
	}
}
