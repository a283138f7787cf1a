package binned

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	f := c.Core.Features()
	f.Classes = true
	return f
}

// Classes adds what the slabs of each bin hold. Costs O(slabs). If blocks can be pending, it looks at each block of the slabs.
func (c *Core) Classes(all *poolimpl.Classes) {
	sums := make([]poolrt.ClassStats, len(c.binSlabs))
	for id := uint32(1); id < uint32(len(c.lines)); id += c.linesOf(c.at(id).bin) {
		s := c.at(id)
		if s.out == 0 {
			continue // gone, or kept
		}
		in := &sums[s.bin]
		in.Live += int64(s.out)
		in.Free += int64(s.blocks - s.out)
		in.Reserved += int64(s.blocks) * int64(c.bins[s.bin])
		if c.Streams {
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
func (s *slab) pending() (n int64) {
	for i := range uint64(s.blocks) {
		if *s.entry(i) == pending {
			n++
		}
	}
	return n
}
