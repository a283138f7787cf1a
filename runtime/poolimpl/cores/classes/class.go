package classes

import (
	"math/bits"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// Params are the parameters of size classes and of the heap behind them. The configuration of the pool has them.
type Params struct {
	heap.Params

	// Bins are the sizes of the classes in bytes, ascending, at most 255. A request takes up the first class that is large enough. Classes that are far
	// apart waste more of it; classes that are close together are reused less. Blocks of requests above the last class are not kept.
	Bins []uint64

	// PerBin is the largest number of freed blocks that a class keeps, and Bytes the largest number of bytes that all classes together keep; 2^32-1 and
	// 2^63-1, or more, for any number. A freed block beyond a bound goes back to the heap at once, where it merges and serves requests of any size.
	PerBin, Bytes uint64
}

// sizes are the classes, and what they may keep.
type sizes struct {
	classes       []class
	octaves       [65]uint8 // for each k, the first class of more than 2^(k-1) bytes: the search for a request of up to 2^k bytes starts there
	bounded       bool      // one of the bounds is one
	perBin, bytes uint64
	slack         uint64 // the heap's MaxSlack
}

// class is a size class.
type class struct {
	size uint64 // in bytes
	head uint32 // block that the class kept last
	kept uint32 // number of blocks that it keeps
}

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	p := params.(*Params)
	if len(p.Bins) > 255 {
		panic("poolgen: more classes than a byte can number")
	}
	c.Space.Set(p.Params)
	c.sizes = sizes{classes: make([]class, len(p.Bins)), perBin: p.PerBin, bytes: p.Bytes, slack: c.MaxSlack()}
	c.bounded = p.PerBin < 1<<32-1 || p.Bytes < 1<<63-1
	for k, size := range p.Bins {
		c.classes[k].size = size
	}
	for k := 1; k < len(c.octaves); k++ {
		i := c.octaves[k-1]
		for int(i) < len(p.Bins) && p.Bins[i] <= 1<<(k-1) {
			i++
		}
		c.octaves[k] = i
	}
}

// Close drops the chunks.
func (c *Core) Close() {
	*c = Core{Core: c.Core, sizes: c.sizes}
	c.resetClasses()
	c.Core.Close()
}

// resetClasses forgets what the classes keep.
func (c *Core) resetClasses() {
	for k := range c.classes {
		c.classes[k].head, c.classes[k].kept = 0, 0
	}
	c.added, c.removed = 0, 0
}

// classOf returns the class of a request, len(classes) if it has none. It tries the classes of one power of two in turn; if all classes are
// powers of two, the first one fits. There is no class if the block would be larger than the request by more than the heap can store.
func (c *Core) classOf(bytes uint64) int {
	k := int(c.octaves[bits.Len64(bytes-1)])
	for k < len(c.classes) && c.classes[k].size < bytes {
		k++
	}
	if k < len(c.classes) && c.classes[k].size-bytes > c.slack {
		return len(c.classes)
	}
	return k
}
