package shards

import (
	"math/rand/v2"
	rt "runtime"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.SearchedCore = (*Core)(nil)

const chunkBytes = 1 << 16

// field tells who has which byte, in units of 64 bytes, at addresses from base on.
type field struct {
	mu    sync.Mutex
	base  uint64
	owner []int
}

// change makes the bytes of a block one's own, or gives them up. It reports whether they were the other's of the two.
func (f *field) change(addr, bytes uint64, from, to int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := (addr - f.base) / 64; i <= (addr-f.base+bytes-1)/64; i++ {
		if f.owner[i] != from {
			return false
		}
		f.owner[i] = to
	}
	return true
}

// filled is a core with chunks, which touch, and their field.
func filled(chunks int) (*Core, *field) {
	c := newCore()
	f := &field{base: chunkBytes, owner: make([]int, chunks*chunkBytes/64)}
	for i := range chunks {
		c.Add(uint32(i), f.base+uint64(i)*chunkBytes, chunkBytes)
	}
	return c, f
}

// at returns the address of a block.
func (f *field) at(slot uint32, off uint64) uint64 { return f.base + uint64(slot)*chunkBytes + off }

// Blocks of several goroutines are apart, and each goes back once, whoever gives it back.
func TestBlocksAreApart(t *testing.T) {
	c, f := filled(8)
	var all sync.WaitGroup
	for id := 1; id <= 4; id++ {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 1))
			type block struct{ addr, bytes uint64 }
			var held []block
			free := func() {
				b := held[0]
				held = held[1:]
				if !f.change(b.addr, b.bytes, id, 0) {
					t.Errorf("%+v is somebody else's", b)
				}
				if _, v := c.Free(b.addr, b.bytes); v != poolimpl.Freed && v != poolimpl.Emptied {
					t.Errorf("free of %+v: %d", b, v)
				}
			}
			for range 4000 {
				bytes := 64 * (1 + r.Uint64N(40))
				slot, off, ok := c.AllocFast(bytes)
				if !ok {
					slot, off, ok = c.AllocAny(bytes, 64)
				}
				if !ok || len(held) > 20 {
					for len(held) > 5 {
						free()
					}
				}
				if ok {
					b := block{f.at(slot, off), bytes}
					if !f.change(b.addr, bytes, 0, id) {
						t.Errorf("%+v was handed out twice", b)
					}
					held = append(held, b)
				}
			}
			for len(held) > 0 {
				free()
			}
		})
	}
	all.Wait()
	u := c.Usage()
	if u.Live != 0 || u.LiveBytes != 0 || feature.Counters && u.Allocs == 0 {
		t.Errorf("%+v", u)
	}
	for slot := range uint32(8) {
		if !c.Evict(slot) {
			t.Errorf("chunk %d has nothing in it, and stays", slot)
		}
	}
}

// A chunk with a live block stays, and so does a core.
func TestEvictAndShut(t *testing.T) {
	c, f := filled(2)
	slot, off, ok := c.AllocAny(64, 64)
	if !ok {
		t.Fatal("no block")
	}
	if c.Evict(slot) || c.Shut(false) {
		t.Error("a block is live")
	}
	if !c.Evict(1 - slot) {
		t.Error("an empty chunk stays")
	}
	if _, v := c.Free(f.at(1-slot, 0), 64); v != poolimpl.Foreign {
		t.Errorf("free in a chunk that is gone: %d", v)
	}
	if c.Used(slot) == 0 {
		t.Error("nothing is used")
	}
	if !c.Shut(true) {
		t.Error("Shut with force is refused")
	}
	if u := c.Usage(); u.Live != 1 || u.LargestFree != 0 || u.Cached != 0 {
		t.Errorf("%+v", u)
	}
	if _, _, ok := c.AllocFast(64); ok {
		t.Error("a block of what has ended")
	}
	if _, v := c.Free(f.at(slot, off), 64); v != poolimpl.Foreign {
		t.Errorf("free after the end: %d", v)
	}
}

// Whatever shard has it, what is free is found, and led to.
func TestAllocAnyFindsEverything(t *testing.T) {
	c, _ := filled(4)
	n := 0
	for {
		if _, _, ok := c.AllocAny(chunkBytes/4, 64); !ok {
			break
		}
		n++
	}
	if n != 16 {
		t.Errorf("%d blocks, want 16", n)
	}
}

// A search begins with the shard that had room last, though that of the processor may have room again: otherwise it would take the locks of all full shards
// each time.
func TestAllocAnyBeginsAtHome(t *testing.T) {
	if poolimpl.Processors(maxShards) == 1 {
		t.Skip("there is one processor")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	c, f := filled(1)
	c.addTo((procIndex()+1)%maxShards, 1, f.at(1, 0), chunkBytes)
	var own, slot uint32
	var first, off uint64
	for ok := true; ok && slot == own; slot, off, ok = c.AllocAny(64, 64) { // until that of the processor is full
		first = off
	}
	if slot == own {
		t.Fatal("the other shard has no room")
	}
	c.Free(f.at(own, first), 64)
	if again, _, ok := c.AllocAny(64, 64); !ok || again != slot {
		t.Errorf("%v in chunk %d, want %d", ok, again, slot)
	}
}

// An empty chunk moves to the processor that wants one.
func TestSteal(t *testing.T) {
	if poolimpl.Processors(maxShards) == 1 {
		t.Skip("there is one processor, whose all chunks are")
	}
	c, f := filled(1)
	const thieves = 16
	moved := make(chan bool, thieves)
	done := make(chan struct{})
	var changes sync.Mutex // the pool's, under which chunks come and go
	steal := func() bool {
		changes.Lock()
		defer changes.Unlock()
		had := c.chunkOf(f.base).shard
		ok := c.Steal()
		if ok && c.chunkOf(f.base).shard == had {
			t.Error("the chunk is where it was")
		}
		return ok
	}
	for range thieves {
		go func() { // one of them is on another processor than the chunk's, sooner or later
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
				select {
				case <-done:
					return
				default:
				}
				if steal() {
					moved <- true
					return
				}
			}
			moved <- false
		}()
	}
	if !<-moved {
		t.Fatal("the chunk stays where nobody uses it")
	}
	close(done)
	changes.Lock()
	defer changes.Unlock()
	if _, _, ok := c.AllocAny(chunkBytes, 64); !ok {
		t.Error("the chunk is not whole")
	}
}

// If AllocOrCount finds no block, it returns what Usage does, and there is none. It finds what is kept for other sizes.
func TestAllocOrCount(t *testing.T) {
	c, f := filled(3)
	fill := func(bytes uint64) (all []uint64) {
		for {
			slot, off, u, ok := c.AllocOrCount(bytes, 1)
			if !ok {
				if want := c.Usage(); u != want {
					t.Fatalf("%+v, Usage is %+v", u, want)
				}
				if _, _, ok := c.AllocAny(bytes, 1); ok {
					t.Fatal("a search has missed a block")
				}
				return all
			}
			all = append(all, f.at(slot, off))
		}
	}
	small := fill(64)
	for _, addr := range small {
		c.Free(addr, 64)
	}
	if large := fill(4096); len(large) == 0 || len(small) == 0 {
		t.Fatalf("%d small blocks, %d large ones", len(small), len(large))
	}
	c.Shut(true)
	if _, _, u, ok := c.AllocOrCount(64, 1); ok || u != c.Usage() {
		t.Errorf("after Shut %+v, %v, Usage is %+v", u, ok, c.Usage())
	}
}
