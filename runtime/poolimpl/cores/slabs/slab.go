package slabs

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// line has the state of perLine blocks. It fills a cache line, so a free reads and writes one of them. The lowest bits of its word say which
// blocks are taken; bits that stand for no block are set. If blocks can be pending, these are taken, too, and the next perLine bits say
// which blocks are pending. The bits from once on count the blocks handed out. In a slab that is about to be given back, or is gone, the words are
// sealed and all blocks are taken. Dissolved slabs are a third state, see [Core.dissolve].
type line struct {
	word  atomic.Uint64
	spare [perLine]uint16 // bytes of each block that were not asked for: fewer than its bin has, which is at most 64 KiB
}

const (
	perLine        = 28
	all     uint64 = 1<<perLine - 1
	sealed  uint64 = 1 << 63
)

// countBit is the lowest bit of the count of a word.
func countBit(streams bool) uint8 {
	if streams {
		return 2 * perLine
	}
	return perLine
}

// slab is a block of the suballocator behind, cut into blocks of one size. Fields that are not atomic never change, except overflow, and those
// that [Core.mu] guards. A slab fills whole cache lines. Each alloc and free reads the first one, and a line of blocks.
type slab struct {
	addr      uint64
	off       uint64         // in its chunk
	state     unsafe.Pointer // the lines: near, or elsewhere if they are more
	in        *procBin       // the slab is in its list
	size      uint32         // of a block
	recip     uint32         // of size
	lineRecip uint32         // of the size of the blocks of a line
	slot      uint32
	blocks    uint16        // number of blocks
	lines     uint16        // number of lines
	countBit  uint8         // of the words
	firstLine uint32        // index of the first line in the partialList
	changed   atomic.Uint32 // 1: the slab is in changes
	near      [nearLines]line

	changes    *changes // of its procCache
	room       uint64   // of its blocks
	taken      uint64   // bytes that the slab takes up in the suballocator behind
	bin        int
	overflowMu sync.Mutex // guards overflow; held while words are added up
	overflow   uint64     // counts that words had no room for

	pos         int   // among the slabs of its bin, or the dissolved ones; [Core.mu] guards this field and the following ones
	phase       phase // what the slab is
	isPartial   bool  // the slab is in lists.partial
	isUnchecked bool  // the slab is in lists.unchecked
	counts      uint8 // so many calls of [Core.countChanged] count the slab; 0: it is not in lists.uncounted
	sums        sums  // as last counted
	_           [24]byte
}

// nearLines is the number of lines that a slab has room for in itself. Most slabs of large blocks have no more.
const nearLines = 1

// newSlab returns a slab of n blocks of a bin, all free.
func (c *Core) newSlab(b int, n uint64) *slab {
	size := c.bins[b]
	s := &slab{bin: b, size: uint32(size), recip: reciprocal(size), lineRecip: reciprocal(perLine * size), blocks: uint16(n), room: n * size}
	s.lines, s.countBit = uint16(linesOf(n)), countBit(c.params.Shards.Streams)
	s.state = unsafe.Pointer(&s.near)
	if s.lines > nearLines {
		s.state = unsafe.Pointer(unsafe.SliceData(make([]line, s.lines)))
	}
	last := uint32(s.lines) - 1
	s.line(last).word.Store(s.absent(last))
	return s
}

// linesOf returns the number of lines of n blocks.
func linesOf(n uint64) uint64 { return (n + perLine - 1) / perLine }

// spareOf returns where the spare bytes of block k of the line are stored.
func (l *line) spareOf(k uint64) *uint16 { return (*uint16)(unsafe.Add(unsafe.Pointer(&l.spare), k*2)) }

// line returns line w, which must be there.
func (s *slab) line(w uint32) *line {
	return (*line)(unsafe.Add(s.state, uintptr(w)*unsafe.Sizeof(line{})))
}

// place is where the state of a block is.
type place struct {
	*line        // nil: of no block
	w     uint32 // number of the line
	k     uint64 // of the block in the line
}

// bit returns the bit of the block.
func (p place) bit() uint64 { return 1 << (p.k % 64) }

// isTaken reports whether the block is live or pending.
func (p place) isTaken() bool { return p.word.Load()&p.bit() != 0 }

// block returns the place of block i.
func (s *slab) block(i uint64) place {
	w := uint32(i / perLine)
	return place{s.line(w), w, i % perLine}
}

// locate returns the place of the block that starts at an address. The line is nil if no block does.
func (s *slab) locate(addr uint64) place {
	rel := addr - s.addr
	i := rel * uint64(s.recip) >> recipBits
	if i >= uint64(s.blocks) || i*uint64(s.size) != rel {
		return place{}
	}
	w := uint32(rel * uint64(s.lineRecip) >> recipBits) // i / perLine, without waiting for i
	return place{s.line(w), w, i - uint64(w)*perLine}
}

// asked returns the bytes that a block was asked for with.
func (s *slab) asked(p place) uint64 {
	return uint64(s.size) - uint64(poolimpl.LoadRelaxed16(p.spareOf(p.k)))
}

// absent returns the bits of a word that stand for no block.
func (s *slab) absent(w uint32) uint64 {
	if rest := uint32(s.blocks) - w*perLine; rest < perLine {
		return all &^ (1<<rest - 1)
	}
	return 0
}

// allocIn hands out a free block of line w, if there is such a line, and returns its offset in the chunk, and whether the line had more of them.
func (s *slab) allocIn(w uint32, bytes uint64) (off uint64, more, ok bool) {
	if w >= uint32(s.lines) {
		return 0, false, false
	}
	l, once := s.line(w), s.once()
	for {
		old := l.word.Load()
		free := ^old & all
		if free == 0 {
			return 0, false, false
		}
		if old >= s.countFull() {
			if old&sealed != 0 {
				return 0, false, false
			}
			s.moveOverflow(&l.word)
			continue
		}
		if l.word.CompareAndSwap(old, old+once+free&-free) {
			off = s.noteAsked(w, uint64(bits.TrailingZeros64(free)), bytes)
			s.noteChange()
			return off, free&(free-1) != 0, true
		}
	}
}

// noteAsked stores what block k of line w was asked for with, and returns the offset of the block in the chunk. Only the caller has the
// block. It calls noteChange afterwards.
func (s *slab) noteAsked(w uint32, k, bytes uint64) (off uint64) {
	poolimpl.StoreRelaxed16(s.line(w).spareOf(k), uint16(uint64(s.size)-bytes))
	return s.off + (uint64(w)*perLine+k)*uint64(s.size)
}

// alloc hands out a free block of any line, and returns the line and the offset of the block in the chunk.
func (s *slab) alloc(bytes uint64) (w uint32, off uint64, ok bool) {
	for w = range uint32(s.lines) {
		if off, _, ok = s.allocIn(w, bytes); ok {
			return w, off, true
		}
	}
	return 0, 0, false
}

// full reports whether no block is free.
func (s *slab) full() bool {
	for w := range uint32(s.lines) {
		if !s.isFull(w) {
			return false
		}
	}
	return true
}

// isFull reports whether no block of line w is free; there may be no such line.
func (s *slab) isFull(w uint32) bool { return w >= uint32(s.lines) || s.line(w).word.Load()&all == all }

// isLive reports whether a block of a word is live. Those of a sealed word are not.
func (c *Core) isLive(word, bit uint64) bool { return word&(bit*c.states|sealed) == bit }

// once is one block in the count of a word.
func (s *slab) once() uint64 { return 1 << (s.countBit & 63) }

// countFull: from here on a word is sealed, or can count no more.
func (s *slab) countFull() uint64 { return sealed - s.once() }

// pendings returns the bits of a word that say which blocks are pending.
func (s *slab) pendings() uint64 { return s.once() - 1<<perLine }
