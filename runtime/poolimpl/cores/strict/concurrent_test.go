package strict

import (
	rt "runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// grab takes a block in the ways that a shell does, one after the other. Now and then it leaves the fastest one out.
func (c *Core) grab(i int) (slot uint32, off uint64, ok bool) {
	if i%8 < 7 {
		slot, off, ok = c.fast()
	}
	if !ok {
		slot, off, ok = c.Alloc(itemBytes, 1)
	}
	if !ok {
		slot, off, ok = c.AllocAny(itemBytes, 1)
	}
	return slot, off, ok
}

// TestOwners: no block has two owners at the same time, while chunks come and go.
func TestOwners(t *testing.T) {
	c := newCore()
	const chunks, each, rounds = 4, 100, 5000
	for i := range uint32(chunks) {
		c.Add(i, uint64(i)*each*blockSize, each*blockSize)
	}
	var owned [chunks * each]atomic.Int32
	var wg sync.WaitGroup
	var done atomic.Bool
	var allocs atomic.Uint64
	for id := range int32(4) {
		wg.Go(func() {
			var held []uint64
			free := func(addr uint64) {
				if !owned[addr/blockSize].CompareAndSwap(id+1, 0) {
					t.Errorf("block %d is not the owner's", addr/blockSize)
				}
				if _, v := c.Free(addr, itemBytes); v > poolimpl.Emptied {
					t.Errorf("Free = %d", v)
				}
			}
			for i := range rounds {
				slot, off, ok := c.grab(i)
				if ok {
					addr := uint64(slot)*each*blockSize + off
					if !owned[addr/blockSize].CompareAndSwap(0, id+1) {
						t.Errorf("block %d has an owner", addr/blockSize)
					}
					held = append(held, addr)
					allocs.Add(1)
				}
				if len(held) > 95 || i%3 == 0 && len(held) > 0 {
					free(held[0])
					held = held[1:]
				}
			}
			for _, addr := range held {
				free(addr)
			}
		})
	}
	var keeper sync.WaitGroup
	keeper.Go(func() {
		for i := uint32(0); !done.Load(); i++ {
			if slot := i % chunks; c.Evict(slot) {
				c.Add(slot, uint64(slot)*each*blockSize, each*blockSize)
			}
			if u := c.Usage(); u.Live > chunks*each || feature.Counters && u.Allocs < u.Live {
				t.Errorf("%+v", u)
			}
			rt.Gosched()
		}
	})
	wg.Wait()
	done.Store(true)
	keeper.Wait()
	c.check(t)
	if u := c.Usage(); u.Live != 0 || feature.Counters && u.Allocs != allocs.Load() {
		t.Errorf("%+v after %d allocations", u, allocs.Load())
	}
}

// TestFailsOnlyWhenFull: of n goroutines that hold at most one of n blocks each, none is ever refused one.
func TestFailsOnlyWhenFull(t *testing.T) {
	for _, n := range []int{2, 3, 49, 120} {
		c := newCore()
		half := uint64(n) / 2
		c.Add(0, 0, half*blockSize)
		c.Add(1, half*blockSize, (uint64(n)-half)*blockSize)
		var wg, keeper sync.WaitGroup
		var done atomic.Bool
		if feature.Magazine > 0 {
			keeper.Go(func() { // no turn without magazines lasts
				for !done.Load() {
					c.endTurn()
					rt.Gosched()
				}
			})
		}
		for range n {
			wg.Go(func() {
				for i := range 60000 / n {
					slot, off, ok := c.grab(i)
					if !ok {
						t.Errorf("refused among %d", n)
						return
					}
					if i%16 == 0 {
						rt.Gosched()
					}
					if _, v := c.Free(uint64(slot)*half*blockSize+off, itemBytes); v > poolimpl.Emptied {
						t.Errorf("Free = %d", v)
					}
				}
			})
		}
		wg.Wait()
		done.Store(true)
		keeper.Wait()
		c.check(t)
	}
}

// TestSimultaneousFrees: one of several frees of a block succeeds, alone or in runs.
func TestSimultaneousFrees(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 10*perWord*blockSize)
	for i := range 3000 {
		_, off := take(t, c)
		_, more := take(t, c)
		var freed atomic.Int32
		var wg sync.WaitGroup
		for k := range 3 {
			wg.Go(func() {
				v := poolimpl.Double
				if k == 0 && i%2 == 0 {
					run, _ := c.join(c.Gather(off), off)
					_, v = c.FreeRun(run)
				} else {
					_, v = c.Free(off, itemBytes)
				}
				if v == poolimpl.Freed {
					freed.Add(1)
				} else if v != poolimpl.Double {
					t.Errorf("Free = %d", v)
				}
			})
		}
		wg.Wait()
		if freed.Load() != 1 {
			t.Fatalf("%d frees succeeded", freed.Load())
		}
		c.Free(more, itemBytes)
	}
}

// TestFailureWaitsForFlags: a flag that another goroutine has set, and is about to clear as a block was freed meanwhile, lets no allocation fail.
func TestFailureWaitsForFlags(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 2*blockSize)
	ch := c.only()
	c.alloc(ch, 0, 1)
	c.flagging.Lock()
	ch.Full.Set(0)
	c.open.Load().Clear(0)
	got := make(chan bool)
	go func() {
		_, _, ok := c.AllocAny(itemBytes, 1)
		got <- ok
	}()
	for range 100 {
		rt.Gosched()
	}
	ch.Full.Clear(0)
	c.open.Load().Set(0)
	c.flagging.Unlock()
	if !<-got {
		t.Error("no block, with one free")
	}
}

// TestLastFreeDuringEvict: who frees the last block of a chunk while others check whether it can go is told that it is empty.
func TestLastFreeDuringEvict(t *testing.T) {
	if !feature.Trims {
		t.Skip("nobody asks")
	}
	const words = 3 * Row
	c := newCore()
	c.Add(0, 0, words*perWord*blockSize)
	ch := c.only()
	some := c.alloc(ch, words-1, 1)
	for w := range words - 1 {
		ch.Words[w].Or(Sealed | c.blocks) // as seal does, which has not come to the last one
	}
	if _, v := c.Free(((words-1)*perWord+index(some))*blockSize, itemBytes); v != poolimpl.Emptied {
		t.Errorf("Free = %d", v)
	}
	c.unseal(ch, words-1)
	c.check(t)
}

// TestShutAmongOthers: what is handed out while others end the core is either handed out before the end, and then there is none, or not at all.
func TestShutAmongOthers(t *testing.T) {
	for range 200 {
		c := newCore()
		c.Add(0, 0, 3*perWord*blockSize)
		c.Add(1, 1<<40, 3*perWord*blockSize)
		var ended atomic.Bool
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for !ended.Load() {
					slot, off, ok := c.grab(0)
					if !ok {
						continue
					}
					if ended.Load() {
						t.Error("a block after the end")
					}
					if _, v := c.Free(uint64(slot)<<40+off, itemBytes); v > poolimpl.Emptied {
						t.Errorf("Free = %d", v)
					}
					rt.Gosched()
				}
			})
		}
		for !c.Shut(false) {
			rt.Gosched()
		}
		ended.Store(true)
		wg.Wait()
		if u := c.Usage(); u.Live != 0 {
			t.Errorf("%+v", u)
		}
	}
}
