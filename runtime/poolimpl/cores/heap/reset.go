package heap

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Reset frees all live blocks and keeps the chunks. No block may be pending. Costs as [Space.Reset].
func (c *Core) Reset() {
	c.Space.Reset()
	c.Tally.CountReset()
}

// Reset frees all blocks, also held ones. Each chunk is one free range afterwards. Holes stay. The cost does not depend on the blocks: it is
// that of adding the chunks, and of clearing the buckets of the index, 4 to 8 bytes for each block that was live at the peak.
func (s *Space) Reset() {
	if len(s.nodes) == 0 {
		return // no chunk was ever added
	}
	if s.page != 0 {
		s.resetPages()
	} else {
		s.resetChunks()
	}
}

// resetChunks makes each chunk one free range.
func (s *Space) resetChunks() {
	s.nodes, s.ranges, s.unusedNodes = s.nodes[:1], s.ranges[:0].sized(1), 0
	clear(s.index.bucket)
	s.index.count = 0
	s.free, s.root, s.pending = poolimpl.SizeBins{}, 0, 0
	for slot := range s.chunks {
		if s.chunks[slot].first != 0 {
			s.addFree(uint32(slot))
		}
	}
}

// resetPages makes all that lies between two holes one free range.
func (s *Space) resetPages() {
	var holes []poolimpl.Extent
	for _, i := range s.holes {
		d := s.at(i)
		holes = append(holes, poolimpl.Extent{Addr: d.unit << (s.shift & 63), Size: uint64(d.size) << (s.shift & 63)})
	}
	s.holes = s.holes[:0]
	s.resetChunks()
	s.Vacate(holes)
	s.lastFreed = freedRange{}
}
