package strict

import (
	rt "runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// needMagazines skips a test where no processor has a magazine.
func needMagazines(t *testing.T) {
	t.Helper()
	if feature.Magazine == 0 || !poolimpl.Pins {
		t.Skip("no processor has a magazine")
	}
}

// withMagazine returns a core with one word of blocks, of which some are in a magazine, and the first is live.
func withMagazine(t *testing.T) *Core {
	t.Helper()
	before := rt.GOMAXPROCS(1) // so that the goroutine stays where it is
	t.Cleanup(func() { rt.GOMAXPROCS(before) })
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	for {
		if _, off := take(t, c); off == 0 && c.inMagazine(0) != 0 {
			return c
		}
		if c.Usage().Live == perWord {
			t.Fatal("no block comes into a magazine")
		}
	}
}

// inMagazine returns the blocks of a word that are in a magazine.
func (c *Core) inMagazine(w uint64) uint64 { return uint64(c.only().inMagazine[w].some) }

// TestFreeOfCached: a block in a magazine is not live, however one tries to free it.
func TestFreeOfCached(t *testing.T) {
	needMagazines(t)
	if feature.Magazine == 1 {
		t.Skip("no block lies in a magazine")
	}
	c := withMagazine(t)
	live := c.Usage().Live
	for i := range uint64(perWord) {
		if c.inMagazine(0)>>i&1 == 0 {
			continue
		}
		addr := i * blockSize
		_, free := c.Free(addr, itemBytes)
		_, undo := c.Undo(addr, itemBytes)
		run, _ := c.join(c.Gather(addr), addr)
		_, alone := c.FreeRun(run)
		run, _ = c.join(run, 0) // beside a live one
		_, both := c.FreeRun(run)
		if free != poolimpl.Double || undo != poolimpl.Double || alone != poolimpl.Double || both != poolimpl.Double {
			t.Errorf("block %d: Free %d, Undo %d, FreeRun %d and %d", i, free, undo, alone, both)
		}
		if feature.Streams {
			if v := c.Defer(addr, itemBytes); v != poolimpl.Double {
				t.Errorf("block %d: Defer %d", i, v)
			}
		}
	}
	if u := c.Usage(); u.Live != live {
		t.Errorf("%+v, %d were live", u, live)
	}
	c.check(t)
}

// TestFillCounts: a word is never the same again after a block came into a magazine, so that who is about to free it notices.
func TestFillCounts(t *testing.T) {
	needMagazines(t)
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	for range perWord {
		take(t, c)
	}
	ch := c.only()
	seen := map[uint64]bool{}
	for range 1000 {
		word := ch.Words[0].Load()
		if seen[word] {
			t.Fatalf("the word is %#x again", word)
		}
		seen[word] = true
		c.Free(0, itemBytes)
		if some := c.takeForMagazine(ch, 0); some != 1 {
			t.Fatalf("%#x is in the magazine", some)
		}
		poolimpl.StoreRelaxed(&ch.inMagazine[0].some, 0) // it is handed out
	}
}

// TestFillOverflows: a word without room in its count gives no blocks to magazines before the count was moved.
func TestFillOverflows(t *testing.T) {
	needMagazines(t)
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	count := CountMask/Once - perWord
	c.only().Words[0].Store(count * Once)
	for range 10 * perWord {
		_, off := take(t, c)
		if _, v := c.Free(off, itemBytes); v != poolimpl.Freed {
			t.Fatalf("Free = %d", v)
		}
		count++
	}
	c.check(t)
	if u := c.Usage(); feature.Counters && u.Allocs != count || u.Live != 0 {
		t.Errorf("%+v after %d", u, count)
	}
}

// TestNeverBoth: a block that comes into a magazine and goes back, and is never handed out, looks live at no time, and cannot be allocated as long as it is
// in the magazine.
func TestNeverBoth(t *testing.T) {
	needMagazines(t)
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	ch := c.only()
	var done atomic.Bool
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for !done.Load() {
				old := ch.Words[0].Load()
				live, free := old&(1|Sealed) == 1, old&(1|busy) == 0
				if inMagazine := ch.AnyInMagazine(0, 1); (live && !inMagazine || free && inMagazine) && ch.Words[0].Load() == old {
					t.Errorf("the word is %#x, in a magazine: %t", old, inMagazine)
					return
				}
			}
		})
	}
	m := &c.Processors[0].Magazine
	for i := range 500_000 {
		if i%1000 == 0 {
			c.moveOverflow(ch, &ch.Words[0])
		}
		some := c.fill(m, ch, 0)
		if some == 0 {
			t.Error("no block is free")
			break
		}
		m.drain(uint64(some))
	}
	done.Store(true)
	all.Wait()
}

// TestFillAmongAllocs: who takes a block of a word while others of it come into a magazine, or go back, can free it.
func TestFillAmongAllocs(t *testing.T) {
	needMagazines(t)
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	ch := c.only()
	var done atomic.Bool
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for !done.Load() {
				some := c.alloc(ch, 0, 1)
				if some == 0 {
					continue
				}
				if _, v := c.Free(index(some)*blockSize, itemBytes); v != poolimpl.Freed {
					t.Errorf("Free = %d", v)
					return
				}
			}
		})
	}
	m := &c.Processors[0].Magazine
	for range 300_000 {
		poolimpl.Pin()
		if some := c.fill(m, ch, 0); some != 0 {
			m.drain(uint64(some))
		}
		poolimpl.Unpin()
	}
	done.Store(true)
	all.Wait()
	c.check(t)
}

// TestRecallAmongPops: nothing is handed out of a magazine that was given back, however long it takes.
func TestRecallAmongPops(t *testing.T) {
	needMagazines(t)
	c := newCore()
	n := 4 * perWord
	c.Add(0, 0, n*blockSize)
	owned := make([]atomic.Int32, n)
	var done atomic.Bool
	var all sync.WaitGroup
	for id := range int32(4) {
		all.Go(func() {
			for !done.Load() {
				_, off, ok := c.popSlowly()
				if !ok {
					if _, off, ok = c.AllocAny(itemBytes, 1); !ok {
						t.Error("no block")
						return
					}
				}
				if at := &owned[off/blockSize]; !at.CompareAndSwap(0, id+1) || !at.CompareAndSwap(id+1, 0) {
					t.Errorf("block %d has two owners", off/blockSize)
				}
				if _, v := c.Free(off, itemBytes); v != poolimpl.Freed {
					t.Errorf("Free = %d", v)
				}
				rt.Gosched()
			}
		})
	}
	for range 200 {
		c.recalls.Lock()
		c.recall()
		c.Turn.Add(1)
		c.recalls.Unlock()
		for range 10 {
			rt.Gosched()
		}
	}
	done.Store(true)
	all.Wait()
	c.check(t)
	if u := c.Usage(); u.Live != 0 {
		t.Errorf("%+v", u)
	}
}

// popSlowly is Take with time between its steps.
func (c *Core) popSlowly() (slot uint32, off uint64, ok bool) {
	p := poolimpl.Pin()
	defer poolimpl.Unpin()
	if p < MaxProcessors && c.Turn.Load()&Exclusive == 0 {
		m := &c.Processors[p].Magazine
		if some := atomic.LoadUint32(&m.Some); some != 0 {
			for range 100 {
				some = atomic.LoadUint32(&m.Some)
			}
			slot, off = m.Slot, m.First
			return slot, off + m.Pop(some)*blockSize, true
		}
	}
	return 0, 0, false
}

// TestBesideMagazine: free blocks of a word of which others lie in somebody's magazine can be had.
func TestBesideMagazine(t *testing.T) {
	needMagazines(t)
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	ch := c.only()
	some := uint64(c.takeForMagazine(ch, 0)) // of nobody who ever takes them out
	for range uint64(perWord) - count(some) {
		if _, off, ok := c.Alloc(itemBytes, 1); !ok || some>>(off/blockSize)&1 != 0 {
			t.Fatalf("block %d, %t, of those that %#x leaves", off/blockSize, ok, some)
		}
	}
	if _, _, ok := c.Alloc(itemBytes, 1); ok {
		t.Error("a block of a magazine")
	}
}

// TestAllocAnyAmongTurns: a search is not sure that no block is free if magazines came back into use meanwhile.
func TestAllocAnyAmongTurns(t *testing.T) {
	needMagazines(t)
	c := newCore()
	c.Add(0, 0, perWord*blockSize)
	ch := c.only()
	turn := c.recalled()
	c.endTurn()
	for c.takeForMagazine(ch, 0) != 0 { // all blocks are taken, in one magazine after the other
		poolimpl.StoreRelaxed(&ch.inMagazine[0].some, 0)
	}
	if _, _, ok, sure := c.allocDuring(turn); ok || sure {
		t.Errorf("ok: %t, sure: %t", ok, sure)
	}
}

// TestTurns: at the limit what lies in magazines comes back, Once; there are magazines again when blocks are free in plenty and a processor has taken enough.
func TestTurns(t *testing.T) {
	needMagazines(t)
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1)) // so that the goroutine stays where it is
	c := newCore()
	n := 3 * perWord
	c.Add(0, 0, n*blockSize)
	for turn := uint32(3); turn < 19; turn += 4 {
		for range n {
			take(t, c)
		}
		for range 3 {
			if _, _, ok := c.AllocAny(itemBytes, 1); ok || c.Turn.Load() != turn {
				t.Fatalf("%t in turn %d, not %d", ok, c.Turn.Load(), turn)
			}
		}
		plenty := turn%8 == 3
		for i := range uint64(n) {
			if plenty || i == 0 {
				c.Free(i*blockSize, itemBytes)
			}
		}
		if u := c.Usage(); u.Live == n || feature.Counters && u.PeakBytes != n*itemBytes {
			t.Fatalf("%+v after %d live blocks", u, n)
		}
		for i := range patience {
			_, off := take(t, c)
			c.Free(off, itemBytes)
			if c.Turn.Load() != turn {
				t.Fatalf("turn %d after %d blocks", c.Turn.Load(), i)
			}
		}
		take(t, c)
		if (c.Turn.Load() == turn+1) != plenty {
			t.Fatalf("turn %d, plenty: %t", c.Turn.Load(), plenty)
		}
		for range 2 { // the first may end the turn, the second has a magazine
			for i := range uint64(n) {
				c.Free(i*blockSize, itemBytes)
			}
			take(t, c)
		}
		if c.Turn.Load() != turn+1 || feature.Magazine > 1 && c.Usage().Cached == 0 {
			t.Fatalf("turn %d, %+v", c.Turn.Load(), c.Usage())
		}
		for i := range uint64(n) {
			c.Free(i*blockSize, itemBytes)
		}
	}
}

// TestLeftInMagazine: what can lie in magazines is bounded, and counted.
func TestLeftInMagazine(t *testing.T) {
	needMagazines(t)
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(4))
	c := newCore()
	c.Add(0, 0, 100*perWord*blockSize)
	for range 2000 {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				_, off := take(t, c)
				c.Free(off, itemBytes)
			})
		}
		all.Wait()
	}
	c.check(t)
	if u := c.Usage(); u.Cached > 4*min(feature.Magazine, perWord)*blockSize || u.Live != 0 {
		t.Errorf("%+v", u)
	}
	rt.GOMAXPROCS(1)
	var cached uint64
	for range 2 { // the first may be the last of a magazine
		_, off := take(t, c)
		c.Free(off, itemBytes)
		cached = max(cached, c.Usage().Cached)
	}
	if feature.Magazine > 1 && cached == 0 {
		t.Error("no block is kept")
	}
	for range 100 * perWord { // though others keep some
		take(t, c)
	}
	if u := c.Usage(); u.Cached != 0 || u.Live != 100*perWord {
		t.Errorf("%+v at the limit", u)
	}
}
