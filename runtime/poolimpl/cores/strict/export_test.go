package strict

import (
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// check holds the state of all chunks against each other while nobody is at work.
func (c *Core) check(t *testing.T) {
	t.Helper()
	if c.params.Magazine > 0 {
		c.checkMagazines(t)
	}
	c.checkOwners(t)
	var count, alive uint64
	for slot, ch := range c.Chunks.All() {
		if ch.Slot != slot {
			t.Fatalf("chunk %d of %#x has slot %d", ch.Slot, ch.Base, slot)
		}
		count += ch.Blocks
		here := ch.check(t)
		alive += here
		if here < ch.Blocks && !c.open.Load().Has(slot) {
			t.Fatalf("chunk %d is flagged as full with %d of %d blocks live", ch.Slot, here, ch.Blocks)
		}
	}
	if count != c.count.Load() || c.Gate.IsClosed() && alive < count {
		t.Fatalf("%d blocks of %d are live, the count is %d; gate shut: %t", alive, count, c.count.Load(), c.Gate.IsClosed())
	}
}

// only returns the first chunk.
func (c *Core) only() *Chunk {
	for _, ch := range c.Chunks.All() {
		return ch
	}
	return nil
}

// checkMagazines compares magazines with the words of all chunks, and with what the words have in magazines.
func (c *Core) checkMagazines(t *testing.T) {
	t.Helper()
	var cached uint64
	for i := range c.Processors {
		m := &c.Processors[i].Magazine
		if m.Some == 0 {
			continue
		}
		some := uint64(m.Some)
		of := m.inMagazine == &m.ch.inMagazine[m.word] && m.inMagazine.some == m.Some
		if c.Turn.Load()&Exclusive != 0 || count(some) > c.params.Magazine || m.ch != c.Chunks.At(m.Slot) || !of {
			t.Fatalf("turn %d, magazine %d: word %d of chunk %d, blocks %#x", c.Turn.Load(), i, m.word, m.Slot, m.Some)
		}
		if word := m.ch.Words[m.word].Load(); word&some != some {
			t.Fatalf("%#x lies in magazine %d, the word is %#x", some, i, word)
		}
		cached += count(some)
	}
	for _, ch := range c.Chunks.All() {
		for w := range ch.inMagazine {
			cached -= count(uint64(ch.inMagazine[w].some))
			if word := ch.Words[w].Load(); word&busy != 0 {
				t.Fatalf("word %d is busy: %#x", w, word)
			}
		}
	}
	if cached != 0 {
		t.Fatalf("magazines have %d blocks more than words say", int64(cached))
	}
}

// checkOwners compares the words that processors own with all words.
func (c *Core) checkOwners(t *testing.T) {
	t.Helper()
	own := map[*atomic.Uint64]uint32{}
	for i := range c.Processors {
		m := &c.Processors[i].Magazine
		if word := m.Own.Load(); word != nil {
			if own[word] = uint32(i); word != &m.ch.Words[m.word] || m.held.Load() != word || m.Base.Load() != m.ch.Base+m.First || m.Blocks.Load() != count(c.blocks&^m.ch.absent(m.word)) || m.Slot != m.ch.Slot || m.First != c.offset(m.word, 1) || m.ch != c.Chunks.At(m.Slot) || c.Turn.Load()&Exclusive != 0 {
				t.Fatalf("turn %d, processor %d owns word %d of chunk %d", c.Turn.Load(), i, m.word, m.Slot)
			}
		}
	}
	for _, ch := range c.Chunks.All() {
		for w := range ch.Words {
			word := ch.Words[w].Load()
			if p, ok := own[&ch.Words[w]]; ok && word>>OwnerShift != OwnedBy(p) || !ok && word&owner != 0 {
				t.Fatalf("word %d is %#x, its owner is %d, %t", w, word, p, ok)
			}
		}
	}
}

// check compares the flags of a chunk with its words, and returns how many blocks are live.
func (ch *Chunk) check(t *testing.T) (alive uint64) {
	t.Helper()
	for r := range ch.Count() {
		full := true
		for w := r * Row; w < min((r+1)*Row, uint64(len(ch.Words))); w++ {
			word := ch.Words[w].Load()
			if word&Sealed != 0 || word&ch.absent(w) != ch.absent(w) {
				t.Fatalf("word %d is %#x", w, word)
			}
			full = full && word&ch.blocks == ch.blocks
			alive += count(word &^ ch.absent(w))
		}
		if !full && ch.Full.Next(r, r+1) != r {
			t.Fatalf("row %d is flagged as full", r)
		}
		if ch.Idle != nil {
			ch.checkIdle(t, r)
		}
	}
	return alive
}

// checkIdle compares the flag of an idle row with its words.
func (ch *Chunk) checkIdle(t *testing.T, r uint64) {
	t.Helper()
	if !ch.rowEmpty(r) && ch.Idle.Next(r, r+1) != r {
		t.Fatalf("row %d is flagged as empty", r)
	}
}

// fast does what the fast path of generated code does, but for a word that another goroutine changes meanwhile.
func (c *Core) fast() (slot uint32, off uint64, ok bool) {
	p := poolimpl.Pin()
	defer poolimpl.Unpin()
	if c.params.Magazine > 0 {
		return c.pop(p, nil, 0)
	}
	if c.params.Owns && c.IsOwning() {
		if m, word := c.Own(p); word != nil {
			return c.first(m.Slot, c.takeOwn(m, word, 1))
		}
		return 0, 0, false
	}
	h := &c.Processors[p%MaxProcessors]
	ch, w := h.Chunk.Load(), h.Word.Load()
	if ch == nil || w >= uint64(len(ch.Words)) {
		return 0, 0, false
	}
	return c.first(ch.Slot, Run{ch, w, c.alloc(ch, w, 1)})
}

// next is what generated code has as Next.
func (c *Core) next(r Run) (rest Run, off uint64, ok bool) {
	_, off, ok = c.first(0, r)
	r.Some &= r.Some - 1
	return r, off, ok
}

// join is what generated code has as Join.
func (c *Core) join(r Run, addr uint64) (longer Run, ok bool) {
	b := c.locate(addr)
	if b.ch == nil || b.ch != r.Chunk || b.w != r.Word || r.Some&b.in != 0 {
		return r, false
	}
	r.Some |= b.in
	return r, true
}
