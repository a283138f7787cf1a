package heap

import (
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Pages // the condition of what stands here

// Gap returns the place where a request needs least memory to come, among equals the one with the lowest address: whole pages, with one
// that is missing at least. Its size is 0 if there is no room. The best place begins or ends with a free range that has a hole
// beside it, or with a hole, so it looks at both ends of each hole.
//
//poolgen:if feature.Pages
func (s *Space) Gap(bytes, align uint64) runtime.Extent {
	n := (bytes-1)/granule + 1
	if n > 1<<32-1 {
		return runtime.Extent{}
	}
	mask := max(align/granule, 1) - 1
	var best runtime.Extent
	least := ^uint64(0)
	look := func(hole uint32, start uint64) {
		if at, missing := s.place(hole, start, n); missing < least {
			best, least = at, missing
		}
	}
	for _, i := range s.holes {
		d := s.at(i)
		first := d.unit
		if p := s.at(d.prev); p.place&stateMask == stateFree {
			first = p.unit
		}
		look(i, (first+mask)&^mask)
		if q := s.at(d.next); q.place&stateMask == stateFree && q.unit+uint64(q.size) > n {
			look(i, (q.unit+uint64(q.size)-n)&^mask)
		}
	}
	return best
}

// place returns the pages that n granules from start on need, and how many granules of them are missing, that is some of the hole. There
// are more than could be if something else is in the way, or nothing of the hole is needed where the request has to start.
//
//poolgen:if feature.Pages
func (s *Space) place(hole uint32, start, n uint64) (at runtime.Extent, missing uint64) {
	const never = ^uint64(0)
	d := s.at(hole)
	if start >= d.unit+uint64(d.size) {
		return at, never
	}
	end := max(start+n, d.unit+1)
	from, to := s.pageOf(hole, start), s.pageOf(hole, end-1)+s.page
	i := hole
	for s.at(i).unit > start {
		i = s.at(i).prev
		if !s.vacant(i) {
			return at, never
		}
	}
	for ; s.vacant(i); i = s.at(i).next {
		d := s.at(i)
		last := d.unit + uint64(d.size)
		if d.place&stateMask == stateHole {
			missing += min(last, to) - max(d.unit, from)
		}
		if last >= end {
			return runtime.Extent{Addr: from * granule, Size: (to - from) * granule}, missing
		}
	}
	return at, never
}

// vacant reports whether a node is a free range or a hole.
//
//poolgen:if feature.Pages
func (s *Space) vacant(i uint32) bool {
	state := s.at(i).place & stateMask
	return state == stateFree || state == stateHole
}

// pageOf returns where the page begins that an address lies in, both in granules, in the chunk of a node.
//
//poolgen:if feature.Pages
func (s *Space) pageOf(i uint32, unit uint64) uint64 {
	base := s.chunk(s.at(i)).unit
	return unit - (unit-base)%s.page
}
