package shards

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Params are the parameters of shards. The configuration of the pool has them.
type Params struct {
	Behind    any              // parameters of the suballocator of each shard; nil if it has none
	Streams   bool             // blocks can be pending
	Shareable bool             // another process may look blocks up
	Samples   poolimpl.Weights // of blocks that may be sampled
}

// Behind is the suballocator of a shard.
type Behind interface {
	poolimpl.Core
	// AllocFast is Alloc for the alignment that every block has.
	AllocFast(bytes uint64) (slot uint32, off uint64, ok bool)
	// BlockAt returns the live block that starts at addr, and the bytes that it was asked for with.
	BlockAt(addr uint64) (slot uint32, off, bytes uint64, ok bool)
	// Resize makes the block at addr, of bytes bytes, one of n bytes, if there is room where it is.
	Resize(addr, bytes, n uint64) bool
}

// Fronted is a Behind that others than the pool take blocks of, which they divide.
type Fronted interface {
	Behind
	// Break divides the live block at addr into up to count blocks of stride bytes, of which those stay live that live(k) names.
	Break(addr, stride, count uint64, live func(k uint64) bool)
	// Around returns the size of the live block at addr, and how many bytes are free right before and right behind it.
	Around(addr uint64) (before, room, behind uint64)
	// ClassAt returns the size of the class of the live block at addr, or 0 if it is of no class.
	ClassAt(addr uint64) uint64
}

// maxShards is the largest number of shards, a power of two. There are as many as processors when the first chunk is added, rounded up to a power
// of two.
const maxShards = 64
