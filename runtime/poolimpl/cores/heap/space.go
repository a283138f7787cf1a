package heap

import (
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Space is the heap without its counters: chunks cut into nodes. The number of a node stays the same while its block is live; node 0 is no
// block.
type Space struct {
	nodes       []node
	ranges      nodeSet // free ranges that requests find; a free looks up its neighbours here, as their nodes are seldom in the cache
	unusedNodes uint32  // first of the list of unused nodes, linked by link
	chunks      []chunk
	index       index
	sizes

	free     poolimpl.SizeBins // by size
	root     uint32            // of the tree of free ranges
	branches []branch          // by node, with a tree

	pending uint64 // granules of pending blocks

	page      uint64   // granules of a page; 0 if chunks come as a whole
	holes     []uint32 // nodes of the holes, by address
	barred    []uint32 // nodes of what is barred, likewise
	lastFreed freedRange
	reserve   reserve
}

// node is a block or a free range. The nodes of a chunk form a list in address order without gaps, and no two free ranges are neighbours.
// To keep nodes small, link and note have two meanings.
type node struct {
	unit  uint64 // the address in granules
	size  uint32 // in granules
	prev  uint32 // neighbour in the chunk, 0 at its ends
	next  uint32
	place uint32 // slot of the chunk and state, see stateBits
	link  uint32 // of a block: next in its chain of the index; of a free range: next in its bin or left child
	note  uint32 // of a block: bytes beyond those asked for; of a free range: previous in its bin or right child

}

// stateBits is how many of the low bits of place hold the state.
const stateBits = 3

// state returns whether a node is live, free or another [poolrt.PieceState]. A held block is [poolrt.PieceCached].
func (d *node) state() poolrt.PieceState { return poolrt.PieceState(d.place & (1<<stateBits - 1)) }

// setState changes the state of a node.
func (d *node) setState(state poolrt.PieceState) { d.place = d.slot()<<stateBits | uint32(state) }

// slot returns the chunk of a node.
func (d *node) slot() uint32 { return d.place >> stateBits }

// chunk describes a chunk. Its field first is 0 where there is no chunk, or none with a whole granule.
type chunk struct {
	unit  uint64 // address of the first granule, in granules
	lead  uint32 // bytes skipped at the start of a chunk whose base is not a multiple of the granule
	size  uint32 // in granules
	used  uint32 // granules in live blocks
	first uint32 // node with the lowest address, which does not change while the chunk is there
}

// Add makes the chunk [base, base+size) available under the number slot: its whole granules, up to the largest size of a block.
func (s *Space) Add(slot uint32, base, size uint64) {
	if len(s.nodes) == 0 {
		// Node 0 ends every list. It is live, so nothing merges with it. Code may write to it where that saves a branch.
		s.nodes = append(s.nodes, node{place: uint32(poolrt.PieceLive)})
		s.ranges = s.ranges.sized(1)
	}
	for uint32(len(s.chunks)) <= slot {
		s.chunks = append(s.chunks, chunk{})
	}
	lead := -base & s.mask
	if size < lead || size-lead <= s.mask {
		s.chunks[slot] = chunk{}
		return
	}
	s.chunks[slot] = chunk{unit: (base + lead) >> (s.shift & 63), lead: uint32(lead), size: uint32(min(size-lead, s.maxBytes) >> (s.shift & 63))}
	s.addFree(slot)
	s.reserve.chunkAdded(s.chunks[slot].size)
}

// addFree makes all of a chunk that has no nodes one free range.
func (s *Space) addFree(slot uint32) {
	c := &s.chunks[slot]
	c.first, c.used = s.newNode(), 0
	*s.at(c.first) = node{unit: c.unit, size: c.size, place: slot << stateBits}
	s.link(c.first)
}

// Remove removes a chunk without blocks.
func (s *Space) Remove(slot uint32) {
	c := &s.chunks[slot]
	s.removeHole(c.first)
	if c.first != 0 {
		s.unlink(c.first)
		s.freeNode(c.first)
	}
	*c = chunk{}
	if s.page != 0 {
		s.leavePages()
	}
}

// Used returns the bytes that the live blocks of a chunk take up.
func (s *Space) Used(slot uint32) uint64 {
	return uint64(s.chunks[slot].used) << (s.shift & 63)
}

// Occupied returns the bytes that all live blocks take up. Costs O(chunks).
func (s *Space) Occupied() uint64 {
	var n uint64
	for i := range s.chunks {
		n += uint64(s.chunks[i].used)
	}
	n -= s.pending
	return n << (s.shift & 63)
}

// Need returns the size of a chunk for the request alone, in whole granules; 0 if no chunk can serve it.
func (s *Space) Need(bytes uint64) uint64 {
	if bytes-1 >= s.maxBytes {
		return 0
	}
	return ((bytes-1)>>(s.shift&63) + 1) << (s.shift & 63)
}

// at returns node i. No number comes from a caller, so all are within bounds; without the check, allocs and frees are 4 % faster.
func (s *Space) at(i uint32) *node {
	return (*node)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.nodes)), uintptr(i)*unsafe.Sizeof(node{})))
}

// chunk returns the chunk of a node, which is within bounds for the same reason.
func (s *Space) chunk(d *node) *chunk {
	return (*chunk)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.chunks)), uintptr(d.slot())*unsafe.Sizeof(chunk{})))
}

// newNode returns the number of an unused node. It may move the nodes.
func (s *Space) newNode() uint32 {
	if i := s.unusedNodes; i != 0 {
		s.unusedNodes = s.at(i).link
		return i
	}
	s.nodes = append(s.nodes, node{})
	s.ranges = s.ranges.sized(len(s.nodes))
	return uint32(len(s.nodes) - 1)
}

// freeNode makes a node an unused one.
func (s *Space) freeNode(i uint32) {
	s.at(i).link = s.unusedNodes
	s.unusedNodes = i
}
