package slabs

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// A word stands for 32 blocks. Its low half has a bit for each live block; bits that stand for no block are set. The other half counts the
// blocks handed out. In a slab that is about to be given back, or is gone, the words are sealed and all bits are set. Dissolved slabs are a
// third state, see [Core.dissolve].
const (
	perWord   = 32
	all       = 1<<perWord - 1
	once      = 1 << perWord
	sealed    = 1 << 63
	countFull = sealed - once // from here on a word is sealed, or can count no more
)

// slab is a block of the suballocator behind, cut into blocks of one size. Fields that are not atomic never change, except at, which is a
// hint, overflow, and those that [Core.mu] guards. A slab fills whole cache lines. Each alloc and free reads the first one.
type slab struct {
	addr      uint64
	off       uint64         // in its chunk
	size      uint64         // of a block
	room      uint64         // of its blocks
	state     unsafe.Pointer // words, and the bytes asked for each block
	recip     uint32
	slot      uint32
	count     uint32        // of the blocks
	words     uint32        // number of words
	changed   atomic.Uint32 // 1: the slab is in changes
	listIndex uint32        // in its partialList

	changes    *changes // of its core
	taken      uint64   // bytes that the slab takes up in the suballocator behind
	bin        int
	procCache  *procCache
	at         uint32     // word that the last block was taken from
	overflowMu sync.Mutex // guards overflow; held while words are added up
	overflow   uint64     // counts that words had no room for

	pos         int   // among the slabs of its bin, or the dissolved ones; [Core.mu] guards this field and the following ones
	phase       phase // what the slab is
	isPartial   bool  // the slab is in lists.partial
	isUnchecked bool  // the slab is in lists.unchecked
	counts      uint8 // so many calls of [Core.countChanged] count the slab; 0: it is not in lists.uncounted
	sums        sums  // as last counted
	_           [80]byte
}

// newSlab returns a slab of n blocks of a bin, all free. The words and the bytes asked for lie together, in whole cache lines.
func newSlab(b int, n uint64) *slab {
	words := (n + perWord - 1) / perWord
	state := make([]uint64, (words+(n+1)/2+15)&^15)
	s := &slab{bin: b, size: bins[b], recip: reciprocal(bins[b]), count: uint32(n), words: uint32(words)}
	s.room = n * s.size
	s.state = unsafe.Pointer(unsafe.SliceData(state))
	s.word(words - 1).Store(s.absent(words - 1))
	return s
}

// word returns word w, which must be there.
func (s *slab) word(w uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(s.state, uintptr(w)*8))
}

// asked returns where the bytes are stored that block i was asked for with.
func (s *slab) asked(i uint64) *uint32 {
	return (*uint32)(unsafe.Add(s.state, uintptr(s.words)*8+uintptr(i)*4))
}

// absent returns the bits of a word that stand for no block.
func (s *slab) absent(w uint64) uint64 {
	if rest := uint64(s.count) - w*perWord; rest < perWord {
		return all &^ (1<<rest - 1)
	}
	return 0
}

// allocIn hands out a free block of word w and returns its offset in the chunk.
func (s *slab) allocIn(w, bytes uint64) (off uint64, ok bool) {
	word := s.word(w)
	for {
		old := word.Load()
		free := ^old & all
		if free == 0 {
			return 0, false
		}
		if old >= countFull {
			if old&sealed != 0 {
				return 0, false
			}
			s.moveOverflow(word)
			continue
		}
		if word.CompareAndSwap(old, old+once+free&-free) {
			off = s.noteAsked(w*perWord+uint64(bits.TrailingZeros64(free)), bytes)
			s.noteChange()
			return off, true
		}
	}
}

// alloc hands out a free block of any word. The words after the last one that served come first.
func (s *slab) alloc(bytes uint64) (off uint64, ok bool) {
	first := atomic.LoadUint32(&s.at)
	w := first
	for range s.words {
		if w++; w >= s.words {
			w = 0
		}
		if off, ok = s.allocIn(uint64(w), bytes); ok {
			if w != first {
				poolimpl.StoreRelaxed(&s.at, w)
			}
			return off, true
		}
	}
	return 0, false
}

// full reports whether no block is free.
func (s *slab) full() bool {
	for w := range uint64(s.words) {
		if s.word(w).Load()&all != all {
			return false
		}
	}
	return true
}

// noteAsked stores the bytes that block i was asked for with, and returns the offset of the block in the chunk. Only the caller has the
// block. It calls noteChange afterwards.
func (s *slab) noteAsked(i, bytes uint64) (off uint64) {
	poolimpl.StoreRelaxed(s.asked(i), uint32(bytes))
	return s.off + i*s.size
}

// index returns the index of the block that starts at an address, if there is one.
func (s *slab) index(addr uint64) (i uint64, ok bool) {
	rel := addr - s.addr
	i = rel * uint64(s.recip) >> recipBits
	return i, i < uint64(s.count) && i*s.size == rel
}

// bitOf returns the bit of the block that starts at an address, and its word. The bit is 0 if no block starts there.
func (s *slab) bitOf(addr uint64) (word *atomic.Uint64, bit uint64) {
	i, ok := s.index(addr)
	if !ok {
		return s.word(0), 0
	}
	return s.word(i / perWord), 1 << (i % perWord)
}

// freeBlock frees the block at addr, of a request for that many bytes.
func (s *slab) freeBlock(addr, bytes uint64) poolimpl.Verdict {
	i, ok := s.index(addr)
	if !ok {
		return poolimpl.Foreign
	}
	word := s.word(i / perWord)
	bit := uint64(1) << (i % perWord)
	for {
		old := word.Load()
		if old&(bit|sealed) != bit {
			return poolimpl.Double
		}
		if uint64(atomic.LoadUint32(s.asked(i))) != bytes {
			return poolimpl.Foreign
		}
		if word.CompareAndSwap(old, old&^bit) {
			if old&all == all {
				s.setPartial()
			}
			s.noteChange()
			return poolimpl.Freed
		}
	}
}

// setPartial sets the bit of the slab in its list: there may be a free block.
func (s *slab) setPartial() { s.procCache.bins[s.bin].list.Load().setPartial(s.listIndex) }
