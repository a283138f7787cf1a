package strict

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// MaxProcessors is the number of processors that have something of their own. On a machine with more of them, several share a hint, and those from this number on
// have no magazine and own no word. Streams have as many hints.
const MaxProcessors = 64

// Processor is what a processor has of its own: a magazine or a word, a countdown to the next sample, and a hint. It fills cache lines of its own.
type Processor struct {
	Hint
	Countdown poolimpl.Countdown
	Magazine
	plenty uint32 // cache lines, see [Core.noteLine]
	_      [4]byte
}

// stream is what a stream has of its own.
type stream struct {
	Hint
	_ [104]byte
}

// Hint is the word where a processor, or a stream, looks for a block first.
type Hint struct {
	Chunk atomic.Pointer[Chunk] // nil if there is no hint
	Word  atomic.Uint64
	away  atomic.Uint64 // the last word that a search found outside the region
}

// point makes a hint point at a word. A goroutine that reads the hint between the two stores gets another word of the chunk, or a number beyond
// its end. Nobody waits for a hint, so the stores need not be seen at once.
func (h *Hint) point(ch *Chunk, w uint64) {
	if h.Chunk.Load() != ch {
		poolimpl.StoreRelaxedPointer(&h.Chunk, ch)
	}
	if h.Word.Load() != w {
		poolimpl.StoreRelaxed64(&h.Word, w)
	}
}

// pointFound makes the hint of processor or stream n point at a word that a search has found.
func (h *Hint) pointFound(ch *Chunk, w uint64, n uint32) {
	if lo, hi := ch.region(n); w < lo || w >= hi {
		poolimpl.StoreRelaxed64(&h.away, w)
	}
	h.point(ch, w)
}

// clearHints removes all hints that point at a chunk.
func (c *Core) clearHints(ch *Chunk) {
	for i := range c.Processors {
		c.Processors[i].Chunk.CompareAndSwap(ch, nil)
	}
	for i := range c.streams {
		c.streams[i].Chunk.CompareAndSwap(ch, nil)
	}
}

// Countdown returns the countdown of the caller's processor, which the fast path counts with. It ignores the length: all requests have the same.
func (c *Core) Countdown(_ uint64) *poolimpl.Countdown {
	return poolimpl.CountdownOfCaller(MaxProcessors, func(i uint32) *poolimpl.Countdown { return &c.Processors[i].Countdown })
}
