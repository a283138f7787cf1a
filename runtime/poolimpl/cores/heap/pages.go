package heap

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Reserve makes the addresses [base, base+size) a chunk. Memory comes and goes by pages of so many bytes, the same in all chunks, counted
// from base, which is a multiple of the granule as they are.
//
// Addresses without memory are holes, at first all of them: nodes that are neither blocks nor free ranges, so nothing is cut from them and
// nothing merges with them. A page that comes turns a part of a hole into a free range, which merges with those around it, so a chunk is
// one range however it grew. A page can go from anywhere, if all of it lies in one free range.
func (c *Core) Reserve(slot uint32, base, size, page uint64) {
	c.Space.Add(slot, base, size)
	c.Space.Reserve(slot, page)
}

// Reserve makes an empty chunk a hole.
func (s *Space) Reserve(slot uint32, page uint64) {
	s.page = page >> (s.shift & 63)
	i := s.chunks[slot].first
	s.unlink(i)
	s.punch(i)
}

// removeHole undoes Reserve before the chunk is removed. The chunk has no memory any more.
func (s *Space) removeHole(i uint32) {
	if s.page == 0 {
		return
	}
	k := s.endsBehind(s.holes, s.at(i).unit)
	s.holes = slices.Delete(s.holes, k, k+1)
	s.at(i).setState(poolrt.PieceFree)
	s.link(i)
}

// leavePages forgets the size of pages with the last chunk: those that follow may come as a whole.
func (s *Space) leavePages() {
	if !slices.ContainsFunc(s.chunks, func(c chunk) bool { return c.first != 0 }) {
		s.page = 0
	}
}

// Fill makes a part of a hole, in whole pages, a free range. The part is made a live block first, as Free merges.
func (s *Space) Fill(x poolimpl.Extent) {
	i := s.cutHole(x)
	d := s.at(i)
	d.setState(poolrt.PieceLive)
	s.chunk(d).used += d.size
	s.insertIndex(i)
	s.Free(s.Find(x.Addr))
}

// Holes lists the parts of a range of addresses that have no memory, in order.
func (s *Space) Holes(in poolimpl.Extent) []poolimpl.Extent {
	from, to := in.Addr>>(s.shift&63), (in.Addr+in.Size)>>(s.shift&63)
	var list []poolimpl.Extent
	for _, i := range s.holes[s.endsBehind(s.holes, from):] {
		d := s.at(i)
		start, end := max(d.unit, from), min(d.unit+uint64(d.size), to)
		if start >= end {
			break
		}
		list = append(list, poolimpl.Extent{Addr: start << (s.shift & 63), Size: (end - start) << (s.shift & 63)})
	}
	return list
}

// FreePages lists the whole pages that are free, in the order of their addresses.
func (s *Space) FreePages() []poolimpl.Extent {
	var list []poolimpl.Extent
	for _, i := range s.rangesWithPages() {
		from, to := s.wholePages(i)
		list = append(list, poolimpl.Extent{Addr: from << (s.shift & 63), Size: (to - from) << (s.shift & 63)})
	}
	return list
}

// Vacate makes holes of parts of what [Space.FreePages] listed, as far as they are free by now, and returns these. The last one goes first, as what lies in
// front of it keeps its node.
func (s *Space) Vacate(parts []poolimpl.Extent) []poolimpl.Extent {
	ranges := s.rangesWithPages()
	parts = s.stillFree(ranges, parts)
	k := len(ranges) - 1
	for _, x := range slices.Backward(parts) {
		unit, n := x.Addr>>(s.shift&63), uint32(x.Size>>(s.shift&63))
		for s.at(ranges[k]).unit > unit {
			k--
		}
		i := ranges[k]
		s.unlink(i)
		front := uint32(unit - s.at(i).unit)
		if s.at(i).size > front+n {
			s.link(s.split(i, front+n))
		}
		if front > 0 {
			j := s.split(i, front)
			s.link(i)
			i = j
		}
		s.punch(i)
	}
	return parts
}

// stillFree returns what free ranges have of parts. Both are in order of address.
func (s *Space) stillFree(ranges []uint32, parts []poolimpl.Extent) (free []poolimpl.Extent) {
	for _, x := range parts {
		from, to := x.Addr>>(s.shift&63), (x.Addr+x.Size)>>(s.shift&63)
		for len(ranges) > 0 && s.at(ranges[0]).unit+uint64(s.at(ranges[0]).size) <= from {
			ranges = ranges[1:]
		}
		for _, i := range ranges {
			first, end := s.wholePages(i)
			if first, end = max(first, from), min(end, to); first < end {
				free = append(free, poolimpl.Extent{Addr: first << (s.shift & 63), Size: (end - first) << (s.shift & 63)})
			}
			if s.at(i).unit >= to {
				break
			}
		}
	}
	return free
}

// rangesWithPages lists the free ranges that have whole pages, in the order of their addresses.
func (s *Space) rangesWithPages() []uint32 {
	var list []uint32
	if s.page < 1<<32 {
		list = s.atLeast(uint32(s.page))
	}
	list = slices.DeleteFunc(list, func(i uint32) bool {
		from, to := s.wholePages(i)
		return from >= to
	})
	slices.SortFunc(list, func(i, j uint32) int { return cmp.Compare(s.at(i).unit, s.at(j).unit) })
	return list
}

// wholePages returns the bounds of the pages that lie in a node as a whole, as addresses in granules.
func (s *Space) wholePages(i uint32) (from, to uint64) {
	d := s.at(i)
	base := s.chunk(d).unit
	off := d.unit - base
	return base + (off+s.page-1)/s.page*s.page, base + (off+uint64(d.size))/s.page*s.page
}

// Vacated reports whether the last free made a whole page free. A second call reports false.
func (s *Space) Vacated() bool {
	x := s.lastFreed
	s.lastFreed = freedRange{}
	if s.page == 0 || x.size == 0 {
		return false
	}
	from, to := s.wholePages(x.part)
	base := s.chunk(s.at(x.part)).unit
	first, end := x.unit-base, x.unit-base+uint64(x.size)
	return max(from, base+first/s.page*s.page) < min(to, base+(end+s.page-1)/s.page*s.page)
}

// freedRange is a range that was freed.
type freedRange struct {
	unit uint64
	size uint32
	part uint32 // the free range that it is part of
}
