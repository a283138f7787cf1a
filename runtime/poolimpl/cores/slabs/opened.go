package slabs

import "sync/atomic"

// openedLines are the lines of a procBin of which a block was freed last, after all had been taken. The state of such a block is in the cache, so these lines
// serve first. There are up to four, each as its index plus 1, in a word that changes as a whole: what one goroutine adds, one takes or displaces.
type openedLines struct{ word atomic.Uint64 }

const (
	indexBits = 16
	lastIndex = 1<<indexBits - 1 // from here on an index has no room
)

// push adds line i. It returns the line that has no room for that, if any: the one added longest ago, or i itself.
func (o *openedLines) push(i uint32) (displaced uint32, any bool) {
	if i >= lastIndex {
		return i, true
	}
	for {
		old := o.word.Load()
		if o.word.CompareAndSwap(old, old<<indexBits|uint64(i+1)) {
			displaced = uint32(old >> (64 - indexBits))
			return displaced - 1, displaced != 0
		}
	}
}

// pop removes the line that was added last.
func (o *openedLines) pop() (i uint32, ok bool) {
	for {
		old := o.word.Load()
		if old == 0 {
			return 0, false
		}
		if o.word.CompareAndSwap(old, old>>indexBits) {
			return uint32(old&lastIndex) - 1, true
		}
	}
}

// manyLines is the number of lines from which on a procBin has openedLines. Fewer lines stay in the cache, and those that wait for their turn have more free
// blocks by then, so the processor changes lines less often.
const manyLines = 64

// noteOpened notes that line w, which was full, has a free block.
func (s *slab) noteOpened(w uint32) { s.in.noteOpened(s.firstLine + w) }

// noteOpened is that of the slab, for line i of the list.
func (p *procBin) noteOpened(i uint32) {
	if atomic.LoadUint32(&p.lines) >= manyLines {
		var any bool
		if i, any = p.opened.push(i); !any {
			return
		}
	}
	p.list.Load().setPartial(i)
}

// alloc hands out a free block of the slabs of p for q, which is p or of another processor.
func (p *procBin) alloc(q *procBin, bytes uint64) (s *slab, off uint64, ok bool) {
	for i, any := p.opened.pop(); any; i, any = p.opened.pop() {
		h := p.list.Load() // after pop, as an earlier list may end before the line, or have a bit that nobody reads any more
		s, w := h.at(i)
		if s == nil { // it is gone
			continue
		}
		if off, more, ok := s.allocIn(w, bytes); ok {
			if more {
				h.setPartial(i)
				q.setOpen(s, i)
			}
			return s, off, true
		}
	}
	if h := p.list.Load(); h != nil {
		return h.alloc(q, bytes)
	}
	return nil, 0, false
}
