package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Reset frees all live blocks and keeps the chunks. No block may be pending. Costs as [Space.Reset].
func (c *Core) Reset() {
	c.space.Reset()
	c.count.CountReset()
}

// Reset frees all blocks, also held ones. Each chunk is one free range afterwards. If [paged], holes stay. The cost does not depend on the blocks: it is
// that of adding the chunks, and of clearing the buckets of the index, 4 to 8 bytes for each block that was live at the peak.
func (s *Space) Reset() {
	if len(s.nodes) == 0 {
		return // no chunk was ever added
	}
	if paged {
		if s.page != 0 { // else chunks come as a whole: the allocator of a fallback has no pages
			s.resetPages()
			return
		}
	}
	s.resetChunks()
}

// resetChunks makes each chunk one free range.
func (s *Space) resetChunks() {
	s.nodes, s.ranges, s.unusedNodes = s.nodes[:1], s.ranges[:0].sized(1), 0
	clear(s.index.bucket)
	s.index.count = 0
	if goodFit {
		s.free = poolimpl.SizeBins{}
	} else {
		s.root = 0
	}
	if feature.Streams {
		s.pending = 0
	}
	for slot := range s.chunks {
		if s.chunks[slot].first != 0 {
			s.addFree(uint32(slot))
		}
	}
}

// resetPages makes all that lies between two holes one free range.
//
//poolgen:if paged
func (s *Space) resetPages() {
	var holes []poolimpl.Extent
	for _, i := range s.holes {
		d := s.at(i)
		holes = append(holes, poolimpl.Extent{Addr: d.unit * granule, Size: uint64(d.size) * granule})
	}
	s.holes = s.holes[:0]
	s.resetChunks()
	s.Vacate(holes)
	if feature.Trims {
		s.lastFreed = freedRange{}
	}
}
