package strict

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// TestFlags compares flags with a model.
func TestFlags(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 200
	m, want := NewFlags(n), [n]bool{}
	for range 10_000 {
		i := r.Uint64N(n)
		if want[i] = r.IntN(3) > 0; want[i] {
			m.Set(i)
		} else {
			m.Clear(i)
		}
		from, count := r.Uint64N(n), uint64(0)
		next := from
		for next < n && want[next] {
			next++
		}
		for _, is := range want {
			if is {
				count++
			}
		}
		if m.Has(i) != want[i] || m.Next(from, n) != next || m.Count() != count {
			t.Fatalf("flag %d: %v; next from %d: %d, want %d; %d set, want %d", i, m.Has(i), from, m.Next(from, n), next, m.Count(), count)
		}
	}
}

// TestSeek: whatever word has a free block, each processor finds it, from any word on, and full rows get flags.
func TestSeek(t *testing.T) {
	const all = 1<<32 - 1
	for _, words := range []uint64{1, 7, Row, Row + 1, 5*Row + 3} {
		for _, processors := range []int{1, 3, 64} {
			for free := range words {
				m := NewRows(words, all, processors)
				for w := range m.Words {
					m.Words[w].Store(all)
				}
				m.Words[free].Store(all &^ 4)
				for n := range uint32(processors) {
					if w, ok := m.Seek(n, m.Start(n)%words, uint64(n)*words/8, n == 0); !ok || w != free {
						t.Fatalf("processor %d of %d finds word %d of %d, %v; word %d has a free block", n, processors, w, words, ok, free)
					}
				}
				if w, ok := m.Near(0, free); !ok || w != free {
					t.Fatalf("near word %d: %d, %v", free, w, ok)
				}
				m.Words[free].Store(all)
				if _, ok := m.Seek(0, free, free, true); ok || m.Full.Count() != m.Count() {
					t.Fatalf("of %d full rows, %d have a flag", m.Count(), m.Full.Count())
				}
			}
		}
	}
}

// TestGateState: a search that was announced closes the gate, unless a free has opened it meanwhile or is clearing flags.
func TestGateState(t *testing.T) {
	var g Gate
	state, is := g.Announce()
	if is || !g.Close(state) || !g.IsClosed() || g.IsQuiet() {
		t.Fatal("the gate does not close")
	}
	if _, is := g.Closed(); !is {
		t.Error("a closed gate is open")
	}
	g.Open()
	if state, _ = g.Announce(); !g.NeedsOpen() {
		t.Error("a free has nothing to withdraw")
	}
	if g.Open(); g.Close(state) {
		t.Error("the gate closes after a free")
	}
	state, _ = g.Announce()
	g.Clear(func() {
		if g.Close(state) {
			t.Error("the gate closes while flags are cleared")
		}
	})
	if g.Hold(); Held(state) {
		t.Error("an earlier state is held")
	}
	if state, _ = g.Announce(); !Held(state) {
		t.Error("a state is not held")
	}
	g.Release()
	if g.SetShort(); !g.IsShort() {
		t.Error("blocks are not short")
	}
}

// TestShort: while blocks are short, a free points the hint at its word, also if that has other free blocks. That ends after frees in cache lines with many free
// blocks, and begins with a search that ends in one with few.
func TestShort(t *testing.T) {
	for _, others := range []uint64{0, 1, line - 1} {
		c := newCore()
		c.Add(0, 1<<20, 2*Row*perWord*blockSize)
		for c.Usage().Live < 2*Row*perWord {
			take(t, c)
		}
		free := func(word uint64) { c.Free(1<<20+word*perWord*blockSize, itemBytes) }
		for i := range others {
			free(Row + 1 + i)
		}
		c.Gate.Open()
		c.Gate.SetShort()
		if free(Row); others == 1 {
			c.Processors[poolimpl.Proc()%MaxProcessors].Word.Store(0) // full
			c.Free(1<<20+(Row*perWord+1)*blockSize, itemBytes)
		}
		if w := c.Processors[poolimpl.Proc()%MaxProcessors].Word.Load(); w != Row || !c.Gate.IsShort() {
			t.Errorf("the hint points at %d", w)
		}
		for range someLines {
			c.noteLine(c.Chunks.At(0), Row)
		}
		if many := others*rare >= (line-1)*perWord; c.Gate.IsShort() == many {
			t.Errorf("short: %t, and %d other blocks of the line are free", !many, others)
		}
		c.Gate.SetPlenty()
		if c.seekChunk(new(Hint), 0, c.Chunks.At(0), false); others == 1 && !c.Gate.IsShort() {
			t.Error("blocks are not short after a search that found few")
		}
	}
}
