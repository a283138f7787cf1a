package classes

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	f := c.Core.Features()
	f.Classes, f.Hoards = true, true
	return f
}

// Classes adds what each class holds. It looks at each block and each free range of the heap.
func (c *Core) Classes(all *poolimpl.Classes) {
	sums := make([]poolrt.ClassStats, len(c.classes))
	for slot := range c.Space.Slots() {
		for i := c.Space.First(slot); i != 0; i = c.Space.Next(i) {
			state := c.Space.StateOf(i)
			if state == poolrt.PieceFree || state == poolrt.PieceHole || int(c.nodes[i]) >= len(sums) {
				continue
			}
			in := &sums[c.nodes[i]]
			in.Reserved += int64(c.Space.Room(i))
			switch state {
			case poolrt.PieceLive:
				in.Live++
			case poolrt.PiecePending:
				in.Pending++
			case poolrt.PieceCached:
				in.Free++
			}
		}
	}
	for k, in := range sums {
		in.Size = int64(c.classes[k].size)
		all.Add(in)
	}
}

// ClassAt returns the size of the class of the live block at addr, which must be there; 0 if the block is of no class.
func (c *Core) ClassAt(addr uint64) uint64 {
	if k := int(c.nodes[*c.Find(addr)]); k < len(c.classes) {
		return c.classes[k].size
	}
	return 0
}
