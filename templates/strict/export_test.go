package strict

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// check holds the state of all chunks against each other while nobody is at work.
func (c *Core) check(t *testing.T) {
	t.Helper()
	if feature.Magazines {
		c.checkMagazines(t)
	}
	var count, alive uint64
	for slot, ch := range c.chunks.All() {
		if ch.slot != slot {
			t.Fatalf("chunk %d of %#x has slot %d", ch.slot, ch.base, slot)
		}
		count += ch.count
		here := ch.check(t)
		alive += here
		if here < ch.count && !c.open.Load().Has(slot) {
			t.Fatalf("chunk %d is flagged as full with %d of %d blocks live", ch.slot, here, ch.count)
		}
	}
	if count != c.count.Load() || c.gate.IsClosed() && alive < count {
		t.Fatalf("%d blocks of %d are live, the count is %d; gate shut: %t", alive, count, c.count.Load(), c.gate.IsClosed())
	}
}

// only returns the first chunk.
func (c *Core) only() *chunk {
	for _, ch := range c.chunks.All() {
		return ch
	}
	return nil
}

// checkMagazines compares magazines with the words of all chunks, and with what the words have in magazines.
//
//poolgen:if feature.Magazines
func (c *Core) checkMagazines(t *testing.T) {
	t.Helper()
	var cached uint64
	for i := range c.magazines {
		m := &c.magazines[i]
		if m.some == 0 {
			continue
		}
		some := uint64(m.some)
		if c.turn.Load()&exclusiveTurn != 0 || taken(some) > magazineSize || m.ch != c.chunks.At(m.slot) || m.inMagazine != &m.ch.inMagazine[m.word] || m.inMagazine.some != m.some {
			t.Fatalf("turn %d, magazine %d: %+v", c.turn.Load(), i, *m)
		}
		if word := m.ch.Words[m.word].Load(); word&some != some {
			t.Fatalf("%#x lies in magazine %d, the word is %#x", some, i, word)
		}
		cached += taken(some)
	}
	for _, ch := range c.chunks.All() {
		for w := range ch.inMagazine {
			cached -= taken(uint64(ch.inMagazine[w].some))
			if word := ch.Words[w].Load(); word&busy != 0 {
				t.Fatalf("word %d is busy: %#x", w, word)
			}
		}
	}
	if cached != 0 {
		t.Fatalf("magazines have %d blocks more than words say", int64(cached))
	}
}

// check compares the flags of a chunk with its words, and returns how many blocks are live.
func (ch *chunk) check(t *testing.T) (alive uint64) {
	t.Helper()
	for r := range ch.Count() {
		full := true
		for w := r * strict.Row; w < min((r+1)*strict.Row, uint64(len(ch.Words))); w++ {
			word := ch.Words[w].Load()
			if word&sealed != 0 || word&ch.absent(w) != ch.absent(w) {
				t.Fatalf("word %d is %#x", w, word)
			}
			full = full && word&blocks == blocks
			alive += taken(word &^ ch.absent(w))
		}
		if !full && ch.Full.Next(r, r+1) != r {
			t.Fatalf("row %d is flagged as full", r)
		}
		if feature.Trims {
			ch.checkIdle(t, r)
		}
	}
	return alive
}

// checkIdle compares the flag of an idle row with its words.
//
//poolgen:if feature.Trims
func (ch *chunk) checkIdle(t *testing.T, r uint64) {
	t.Helper()
	if !ch.rowEmpty(r) && ch.idle.Next(r, r+1) != r {
		t.Fatalf("row %d is flagged as empty", r)
	}
}
