package poolimpl

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// end returns the address behind a range.
func (x Extent) end() uint64 { return x.Addr + x.Size }

// last is the last address of a range.
func (x Extent) last() uint64 { return x.Addr + (x.Size - 1) }

// without returns the parts of x outside y. It is inlined, and the list is on the stack of a caller that does not keep it.
func (x Extent) without(y Extent) []Extent {
	rest, end := make([]Extent, 0, 2), x.Addr+x.Size
	if head := min(end, y.Addr); head > x.Addr {
		rest = append(rest, Extent{x.Addr, head - x.Addr})
	}
	if tail := max(x.Addr, y.Addr+y.Size); tail < end {
		rest = append(rest, Extent{tail, end - tail})
	}
	return rest
}

// chunk returns a range of pages as the source knows it.
func (x Extent) chunk() Chunk { return Chunk{Addr: x.Addr, Size: int64(x.Size)} }

// extent returns the addresses of a chunk.
func (c Chunk) extent() Extent { return Extent{c.Addr, uint64(c.Size)} }

// overlaps reports whether two chunks have an address in common.
func (c Chunk) overlaps(o Chunk) bool { return extents{c.extent()}.touch(o.Addr, uint64(o.Size)) }

// snapshot returns a chunk that the core does not have, as a single piece.
func (c Chunk) snapshot(state poolrt.PieceState, asked uint64) poolrt.ChunkSnapshot {
	size := uint64(c.Size)
	return poolrt.ChunkSnapshot{Addr: c.Addr, Size: size, Origin: c.Origin, Pieces: poolrt.Pieces{{Size: size, Asked: asked, State: state}}}
}

// unsafeBytes returns memory as bytes.
func unsafeBytes(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }

// extentsOf returns the addresses of chunks.
func extentsOf(chunks []Chunk) (list []Extent) {
	for _, c := range chunks {
		list = append(list, c.extent())
	}
	return list
}

// total adds up the bytes of ranges.
func total(list []Extent) (n int64) {
	for _, x := range list {
		n += int64(x.Size)
	}
	return n
}

// sizeOf adds up the bytes of chunks.
func sizeOf(chunks []Chunk) (n int64) {
	for _, c := range chunks {
		n += c.Size
	}
	return n
}

// without returns the parts of some ranges outside others.
func without(list, others []Extent) []Extent {
	for _, y := range others {
		var rest []Extent
		for _, x := range list {
			rest = append(rest, x.without(y)...)
		}
		list = rest
	}
	return list
}

// steps divides rows into parts of so many bytes.
func steps(rows []Extent, bytes int64) iter.Seq[Extent] {
	step := uint64(bytes)
	return func(yield func(Extent) bool) {
		for _, x := range rows {
			for ; x.Size > 0; x.Addr, x.Size = x.Addr+min(step, x.Size), x.Size-min(step, x.Size) {
				if !yield(Extent{x.Addr, min(step, x.Size)}) {
					return
				}
			}
		}
	}
}

// extents are ranges of addresses in ascending order. After joined, no two are adjacent.
type extents []Extent

// joined sorts ranges that do not overlap and joins neighbours.
func (l extents) Join() extents {
	slices.SortFunc(l, func(a, b Extent) int { return cmp.Compare(a.Addr, b.Addr) })
	out := l[:0]
	for _, x := range l {
		if k := len(out); k > 0 && out[k-1].end() == x.Addr {
			out[k-1].Size += x.Size
		} else {
			out = append(out, x)
		}
	}
	return out
}

// insert adds a range that overlaps no other. Cost: a binary search, and moving the later ranges.
func (l *extents) insert(x Extent) { *l = slices.Insert(*l, l.search(x.Addr), x) }

// remove removes a range, if it is there.
func (l *extents) remove(x Extent) {
	if at := l.search(x.Addr); at < len(*l) && (*l)[at] == x {
		*l = slices.Delete(*l, at, at+1)
	}
}

// search returns the index of the first range that ends behind an address.
func (l extents) search(addr uint64) int {
	return sort.Search(len(l), func(i int) bool { return l[i].end() > addr })
}

// touch reports whether any range overlaps [addr, addr+bytes).
func (l extents) touch(addr, bytes uint64) bool {
	i := l.search(addr)
	return i < len(l) && l[i].Addr < addr+bytes
}

// gaps returns the parts of x outside the ranges.
func (l extents) gaps(x Extent) (rest []Extent) {
	for at := l.search(x.Addr); at < len(l) && l[at].Addr < x.end(); at++ {
		if l[at].Addr > x.Addr {
			rest = append(rest, Extent{x.Addr, l[at].Addr - x.Addr})
		}
		end := min(x.end(), l[at].end())
		x = Extent{end, x.end() - end}
	}
	if x.Size > 0 {
		rest = append(rest, x)
	}
	return rest
}

// roundUp and roundDown round n to a multiple of unit. A unit of 0 counts as 1.
func roundUp(n, unit int64) int64 {
	if unit <= 1 {
		return n
	}
	return (n + unit - 1) / unit * unit
}

func roundDown(n, unit int64) int64 {
	if unit <= 1 {
		return n
	}
	return n / unit * unit
}

// roundUp64 rounds n up to a multiple of unit.
func roundUp64(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }
