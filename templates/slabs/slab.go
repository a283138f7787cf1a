package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A word stands for 32 blocks. Its low half has a bit for each that is live; those that the slab has not count as live. Above that it counts what was
// handed out. Of a slab that is about to go, or has gone, the words are sealed, and all bits live. See [Core.dissolve] for a third state.
const (
	perWord   = 32
	all       = 1<<perWord - 1
	once      = 1 << perWord
	sealed    = 1 << 63
	countFull = sealed - once // from here on a word can count no more, or is sealed
)

// slab is a block of the suballocator behind, cut into blocks of one size. What is not atomic in it never changes, save rank, which is under the
// lock, at, which is a hint, and carried. It fills whole lines of the cache.
type slab struct {
	addr       uint64
	off        uint64 // in its chunk
	size       uint64 // of a block
	room       uint64 // of its blocks
	taken      uint64 // what the suballocator behind counts for the slab
	state      unsafe.Pointer
	recip      uint32
	slot       uint32
	count      uint32 // of the blocks
	words      uint32
	bin        int
	procCache  *procCache
	listIndex  uint32     // on the shelf of its desk
	rank       int        // among the slabs of its bin
	at         uint32     // word that a block was taken of last
	overflowMu sync.Mutex // for carried, and while words are added up
	overflow   uint64     // counted by words that had no more room for it
	_          [136]byte
}

// newSlab returns a slab of n blocks of a bin, all free. The words and what was asked for each block lie together, in whole lines of the
// cache.
func newSlab(b int, n uint64) *slab {
	words := (n + perWord - 1) / perWord
	state := make([]uint64, (words+(n+1)/2+15)&^15)
	s := &slab{bin: b, size: bins[b], recip: reciprocal(bins[b]), count: uint32(n), words: uint32(words)}
	s.room = n * s.size
	s.state = unsafe.Pointer(unsafe.SliceData(state))
	s.word(words - 1).Store(s.absent(words - 1))
	return s
}

// word returns the word of that number, which must be there.
func (s *slab) word(w uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(s.state, uintptr(w)*8))
}

// asked returns where the bytes stand that a block was asked for with.
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

// allocIn hands out a free block of a word and returns its offset in the chunk.
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
			return s.noteAsked(w*perWord+uint64(bits.TrailingZeros64(free)), bytes), true
		}
	}
}

// alloc hands out a free block of any word, those that come after the last one first.
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

// noteAsked notes what the caller, who alone has the block, asked for, and returns where it lies in the chunk.
func (s *slab) noteAsked(i, bytes uint64) (off uint64) {
	poolimpl.StoreRelaxed(s.asked(i), uint32(bytes))
	return s.off + i*s.size
}

// index returns the number of the block at an address, if there is one.
func (s *slab) index(addr uint64) (i uint64, ok bool) {
	rel := addr - s.addr
	i = rel * uint64(s.recip) >> recipBits
	return i, i < uint64(s.count) && i*s.size == rel
}

// bitOf returns the bit of the block at an address, and the word that it is in; no bit if there is no block.
func (s *slab) bitOf(addr uint64) (word *atomic.Uint64, bit uint64) {
	i, ok := s.index(addr)
	if !ok {
		return s.word(0), 0
	}
	return s.word(i / perWord), 1 << (i % perWord)
}

// freeBlock takes a block back.
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
			return poolimpl.Freed
		}
	}
}

// setPartial notes on the shelf of the slab that there may be a free block.
func (s *slab) setPartial() { s.procCache.bins[s.bin].list.Load().setPartial(s.listIndex) }
