package slabs

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Classes adds what the slabs of each bin hold, and the classes of the suballocator behind, without the blocks that are slabs. Costs O(lines
// of the slabs), and what the suballocator behind says.
func (c *Core) Classes(all *poolimpl.Classes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.back.Classes(all)
	for b, list := range c.slabs {
		sum := poolrt.ClassStats{Size: int64(c.bins[b])}
		for _, s := range list {
			n := s.count()
			sum.Live += int64(n.live)
			sum.Pending += int64(n.pending)
			sum.Free += int64(s.blocks) - int64(n.live+n.pending)
			sum.Reserved += int64(s.taken)
			if size := c.back.ClassAt(s.addr); size != 0 {
				all.Add(poolrt.ClassStats{Size: int64(size), Live: -1, Reserved: -int64(s.taken)})
			}
		}
		all.Add(sum)
	}
}

// Hoard returns the bytes of the blocks that the suballocator behind keeps.
func (c *Core) Hoard() uint64 { return c.back.Hoard() }

// KeepLarge makes the suballocator behind keep large chunks.
func (c *Core) KeepLarge() { c.back.KeepLarge() }
