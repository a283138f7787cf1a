package classes

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Classes adds what each class holds. It looks at each block and each free range of the heap.
func (c *Core) Classes(all *poolimpl.Classes) {
	var sums [len(bins)]poolrt.ClassStats
	for slot := range c.space.Slots() {
		for i := c.space.First(slot); i != 0; i = c.space.Next(i) {
			state := c.space.StateOf(i)
			if state == poolrt.PieceFree || state == poolrt.PieceHole || int(c.classes[i]) >= len(bins) {
				continue
			}
			in := &sums[c.classes[i]]
			in.Reserved += int64(c.space.Room(i))
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
		in.Size = int64(bins[k])
		all.Add(in)
	}
}

// ClassAt returns the size of the class of the live block at addr, which must be there; 0 if the block is of no class.
func ClassAt(c *Core, addr uint64) uint64 {
	if k := int(c.classes[*c.space.Find(addr)]); k < len(bins) {
		return bins[k]
	}
	return 0
}
