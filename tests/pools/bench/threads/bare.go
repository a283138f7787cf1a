package threads

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// bare are loops without a pool. They show the least that each promise of a pool of blocks takes. No loop grows, counts blocks, or returns errors: that is what
// the pools with the same promises take beyond them.
func bare() []subject {
	loop := func(name string, run func(l *blockList, n int)) subject {
		return subject{name: name, kind: "bare", alone: true, start: func(n int) session {
			return session{workers: each(n, func(int) work {
				l := newBlockList()
				return func(n int) int {
					run(l, n)
					return n
				}
			})}
		}}
	}
	return []subject{
		loop("a list", (*blockList).unchecked),
		loop("a list, a free checks the address", (*blockList).checked),
		loop("a list, a second free is refused, too", (*blockList).exact),
		loop("the same, each call takes a lock", (*blockList).locked),
		loop("a bit for each block, changed atomically", (*blockList).atomic),
		loop("the same, in words of each processor", (*blockList).sharded),
	}
}

// blockList is a list of free blocks, by their indices, which stands beside the blocks: a device's memory cannot hold it.
type blockList struct {
	base  uint64
	free  uint32
	next  []uint32 // by block: the next free one, or taken
	mu    sync.Mutex
	words []paddedWord // by processor, with a bit for each taken block
}

// paddedWord is a word in cache lines of its own.
type paddedWord struct {
	atomic.Uint64
	_ [120]byte
}

const (
	taken      = ^uint32(0)
	blockBytes = 64
	listed     = 1024 // blocks
)

func newBlockList() *blockList {
	l := &blockList{base: 1 << 40, next: make([]uint32, listed), words: make([]paddedWord, 64)}
	for i := range l.next {
		l.next[i] = uint32(i+1) % listed
	}
	return l
}

func (l *blockList) unchecked(n int) {
	for range n {
		addr := l.pop()
		l.push(uint32((addr - l.base) / blockBytes))
	}
}

func (l *blockList) checked(n int) {
	for range n {
		l.push(l.index(l.pop()))
	}
}

func (l *blockList) exact(n int) {
	for range n {
		l.give(l.take())
	}
}

func (l *blockList) locked(n int) {
	for range n {
		l.mu.Lock()
		addr := l.take()
		l.mu.Unlock()
		l.mu.Lock()
		l.give(addr)
		l.mu.Unlock()
	}
}

func (l *blockList) atomic(n int) {
	for range n {
		l.clear(l.set(0))
	}
}

func (l *blockList) sharded(n int) {
	for range n {
		l.clear(l.set(poolimpl.Proc()))
	}
}

// pop returns the address of a free block.
//
//go:noinline
func (l *blockList) pop() uint64 {
	i := l.free
	l.free = l.next[i]
	return l.base + uint64(i)*blockBytes
}

//go:noinline
func (l *blockList) push(i uint32) {
	l.next[i] = l.free
	l.free = i
}

// index checks an address.
func (l *blockList) index(addr uint64) uint32 {
	off := addr - l.base
	if off >= listed*blockBytes || off%blockBytes != 0 {
		panic("no block")
	}
	return uint32(off / blockBytes)
}

// take is pop for blocks that are marked as taken.
//
//go:noinline
func (l *blockList) take() uint64 {
	i := l.free
	l.free = l.next[i]
	l.next[i] = taken
	return l.base + uint64(i)*blockBytes
}

//go:noinline
func (l *blockList) give(addr uint64) {
	i := l.index(addr)
	if l.next[i] != taken {
		panic("freed twice")
	}
	l.next[i] = l.free
	l.free = i
}

// set takes a block of a word.
//
//go:noinline
func (l *blockList) set(word uint32) uint64 {
	w := &l.words[word%uint32(len(l.words))]
	for {
		old := w.Load()
		if free := ^old; w.CompareAndSwap(old, old|free&-free) {
			return l.base + (uint64(word)*64+uint64(bits.TrailingZeros64(free)))*blockBytes
		}
	}
}

//go:noinline
func (l *blockList) clear(addr uint64) {
	off := addr - l.base
	if off%blockBytes != 0 {
		panic("no block")
	}
	i := off / blockBytes
	w, bit := &l.words[i/64%uint64(len(l.words))], uint64(1)<<(i%64)
	for {
		old := w.Load()
		if old&bit == 0 {
			panic("freed twice")
		}
		if w.CompareAndSwap(old, old&^bit) {
			return
		}
	}
}
