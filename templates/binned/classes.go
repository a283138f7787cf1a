package binned

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

// Classes adds what the slabs of each bin hold. Costs O(slabs). If [feature.Streams], it looks at each block of the slabs.
func (c *Core) Classes(all *poolimpl.Classes) {
	sums := make([]poolrt.ClassStats, len(c.binSlabs))
	for id := uint32(1); id < uint32(len(c.lines)); id += linesOf(c.at(id).bin) {
		s := c.at(id)
		if s.out == 0 {
			continue // gone, or kept
		}
		in := &sums[s.bin]
		in.Live += int64(s.out)
		in.Free += int64(s.blocks - s.out)
		in.Reserved += int64(s.blocks) * int64(bins[s.bin])
		if feature.Streams {
			in.Pending += s.pending()
		}
	}
	for b := range c.binSlabs {
		q, in := &c.binSlabs[b], &sums[b]
		kept := int64(c.at(q.keptSlab).blocks)
		in.Size = int64(q.size)
		in.Live -= int64(q.count) + in.Pending
		in.Free += int64(q.count) + kept
		in.Reserved += kept * in.Size
		all.Add(*in)
	}
}

// pending returns the number of pending blocks.
//
//poolgen:if feature.Streams
func (s *slab) pending() (n int64) {
	for i := range uint64(s.blocks) {
		if *s.entry(i) == pending {
			n++
		}
	}
	return n
}

// ClassAt returns 0 for a live block that is in no slab.
func ClassAt(*Core, uint64) uint64 { return 0 }
