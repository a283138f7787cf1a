package strict

import (
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// newCore returns a core with the parameters of the template.
func newCore() *Core {
	p := strict.Params{
		BlockSize: blockSize, ItemBytes: itemBytes, PerWord: perWord,
		Counters: feature.Counters, Trims: feature.Trims, Streams: feature.Streams, Sampled: feature.Sampled, Owns: feature.Owns,
	}
	if feature.Magazines {
		p.Magazine = perWord / 2
	}
	c := new(Core)
	c.Set(&p)
	return c
}

// bring lets processors own words, where they do that at all.
func bring(c *Core) {
	if feature.Owns {
		for i := 0; poolimpl.Pins && !c.IsOwning() && i < 1<<21; i++ {
			slot, off, ok := c.AllocFast()
			if !ok {
				slot, off, _ = c.AllocAny(itemBytes, 1)
			}
			c.Free(base+uint64(slot)*each*blockSize+off, itemBytes)
		}
	}
}

// free frees a block as shells do.
func (c *Core) free(addr, bytes uint64) (slot uint32, v poolimpl.Verdict) {
	if feature.Owns {
		if m, word := c.Own(poolimpl.Pin()); word != nil && c.FreeOwn(m, word, addr-m.Base.Load()) {
			poolimpl.Unpin()
			return uint32((addr - base) / (each * blockSize)), poolimpl.Freed
		}
		poolimpl.Unpin()
	}
	return c.Free(addr, bytes)
}

// TestOwn: a processor allocates from the word that it owns, and frees there; other goroutines free what it has handed out, and the limit is exact.
func TestOwn(t *testing.T) {
	if !feature.Owns || !poolimpl.Pins {
		t.Skip("processors own no words")
	}
	c := newCore()
	c.Add(0, base, each*blockSize)
	for range 3 {
		if bring(c); !c.IsOwning() {
			t.Fatal("no processor becomes an owner")
		}
		var live []uint64
		for {
			_, off, ok := c.AllocFast()
			if !ok {
				if _, off, ok = c.AllocAny(itemBytes, 1); !ok {
					break
				}
			}
			live = append(live, base+off)
		}
		if len(live) != each || c.IsOwning() {
			t.Fatalf("%d blocks of %d at the limit, owners: %t", len(live), each, c.IsOwning())
		}
		done := make(chan bool)
		go func() {
			for _, addr := range live {
				if _, v := c.free(addr, itemBytes); v != poolimpl.Freed {
					t.Errorf("Free(%#x) = %d", addr, v)
				}
			}
			close(done)
		}()
		<-done
	}
	if u := c.Usage(); u.Live != 0 {
		t.Errorf("%+v", u)
	}
}

// Before the core has its parameters, the fast path finds nothing.
func TestZeroValue(t *testing.T) {
	var c Core
	if _, _, ok := c.AllocFast(); ok {
		t.Error("a block")
	}
	if _, r := c.AllocRun(3); r.Some != 0 {
		t.Error("a run")
	}
	if _, v := c.Free(blockSize, itemBytes); v != poolimpl.Foreign {
		t.Errorf("Free = %d", v)
	}
	if _, ok := c.Join(c.Gather(blockSize), blockSize); ok {
		t.Error("a block joins a run")
	}
}

// TestNumber: number divides multiples of the size of a block, and makes of all else at least what a chunk can have blocks.
func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	most := ^uint64(0) / blockSize // a chunk ends below 2^64
	for i := range 1 << 16 {
		off := r.Uint64() >> (i % 64)
		got, exact := number(off), off%blockSize == 0
		if exact && got != off/blockSize || !exact && got < most {
			t.Fatalf("number(%d) = %d for blocks of %d", off, got, blockSize)
		}
		if off -= off % blockSize; number(off) != off/blockSize {
			t.Fatalf("number(%d) = %d, want %d", off, number(off), off/blockSize)
		}
	}
}

// TestOverflow: where a word has no room for one more in its count, the fast path takes no block.
func TestOverflow(t *testing.T) {
	if !feature.Counters || feature.Magazines {
		t.Skip("the fast path does not count")
	}
	c := newCore()
	c.Add(0, base, perWord*blockSize)
	_, off, _ := c.AllocAny(itemBytes, 1) // there is a hint now
	word := &c.Chunks.At(0).Words[0]
	word.Store(word.Load() | strict.CountMask)
	if _, _, ok := c.AllocFast(); ok {
		t.Fatalf("the word is %#x", word.Load())
	}
	_, other, _ := c.AllocAny(itemBytes, 1)
	c.Free(base+off, itemBytes)
	c.Free(base+other, itemBytes)
	if u := c.Usage(); u.Live != 0 || u.Allocs != strict.CountMask/strict.Once+1 {
		t.Errorf("%+v", u)
	}
}

// A block that is due to be sampled is left to the engine.
func TestSampled(t *testing.T) {
	if !feature.Sampled {
		t.Skip("no block is sampled")
	}
	c := newCore()
	c.Add(0, base, each*blockSize)
	slow := 0
	for range 50 { // a countdown that nobody begins anew has run out from its first block on
		slot, off, ok := c.AllocFast()
		if !ok {
			slow++
			slot, off, ok = c.AllocAny(itemBytes, 1)
		}
		if !ok {
			t.Fatal("no block")
		}
		c.Free(base+uint64(slot)*each*blockSize+off, itemBytes)
	}
	if slow != 50 {
		t.Errorf("%d blocks of 50 are left to the engine", slow)
	}
}
