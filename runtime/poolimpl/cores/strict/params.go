package strict

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Params are the parameters of a Core. The configuration of the pool has them.
type Params struct {
	BlockSize uint64 // difference between the addresses of neighbouring blocks
	ItemBytes uint64 // size of a block in the statistics
	PerWord   uint64 // blocks in a word: 32, or 16 with Streams, as a pending block takes a second bit. It is a power of two
	Magazine  uint64 // largest number of blocks that a processor keeps; they are of one word. 0: none
	Counters  bool   // allocations and the peak are counted
	Trims     bool   // a free that empties a chunk says so; not with Magazine, as a chunk with such blocks does not look empty
	Streams   bool   // blocks can be pending
	AllocsOn  bool   // blocks are also allocated for streams
	Sampled   bool   // processors have countdowns
	Owns      bool   // processors own words; not with Magazine, Trims, Streams, AllocsOn or Sampled
}

// MaxBlocks is the largest number of blocks that one chunk may have: it keeps the numbers of words within 32 bits.
const MaxBlocks uint64 = 1<<32 - 2

// Set implements [poolimpl.ParamCore].
func (c *Core) Set(params any) {
	c.params = *params.(*Params)
	c.layout = layoutOf(&c.params)
	c.numbers = poolimpl.NumbersOf(c.params.BlockSize)
	c.patience.Store(patience)
	if c.params.Magazine == 0 {
		c.Turn.Store(Exclusive | drained)
	}
	if c.params.AllocsOn {
		c.streams = make([]stream, MaxProcessors)
	}
}

// Features implements [poolimpl.FeaturedCore].
func (c *Core) Features() poolimpl.Features {
	return poolimpl.Features{Streams: c.params.Streams, Spreads: c.params.AllocsOn, Shares: true, Samples: c.params.Sampled}
}

// offset returns where the first of some blocks of a word lies in the chunk.
func (c *Core) offset(w, some uint64) uint64 {
	return (w*c.params.PerWord + index(some)) * c.params.BlockSize
}
