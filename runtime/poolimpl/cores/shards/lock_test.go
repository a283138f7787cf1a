package shards

import (
	rt "runtime"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// setPatience makes owners come sooner, and processors n, until the test ends.
func setPatience(t *testing.T, least uint32, n int) {
	was, procs := patience, rt.GOMAXPROCS(n)
	patience = least
	t.Cleanup(func() { patience = was; rt.GOMAXPROCS(procs) })
}

// pairs allocates and frees n blocks.
func (f *field) pairs(t *testing.T, c *Core, n uint32) {
	t.Helper()
	for range n {
		slot, off, ok := c.AllocFast(64)
		if !ok {
			t.Fatal("no block")
		}
		if _, v := c.Free(f.at(slot, off), 64); v > poolimpl.Emptied {
			t.Fatalf("free: %d", v)
		}
	}
}

// A processor owns the lock of its shard after many blocks, until another goroutine takes the lock. Then it takes twice as many.
func TestOwner(t *testing.T) {
	setPatience(t, 10, 1)
	c, f := filled(1)
	own := uint32(0)
	if hasOwners {
		own = 1
	}
	owner := func() uint32 { return c.shard(0).owner.Load() }
	for least := uint32(10); least <= 20; least *= 2 {
		f.pairs(t, c, least-1)
		if now := owner(); now != 0 {
			t.Fatalf("%d is the owner after %d blocks", now, least-1)
		}
		f.pairs(t, c, 3)
		if now := owner(); now != own {
			t.Fatalf("%d is the owner after %d blocks, want %d", now, least+2, own)
		}
		if u := c.Usage(); u.Live != 0 || owner() != 0 {
			t.Fatalf("%+v, and %d is the owner after a count", u, owner())
		}
	}
}

// What the owner of a lock refuses is what others refuse.
func TestOwnerRefuses(t *testing.T) {
	setPatience(t, 1, 1)
	c, f := filled(1)
	f.pairs(t, c, 2)
	slot, off, _ := c.AllocFast(64)
	addr := f.at(slot, off)
	for _, b := range []struct {
		addr, bytes uint64
		freed       bool
	}{{addr + 64, 64, false}, {addr, 128, false}, {addr, 64, true}, {addr, 64, false}} {
		if _, v := c.Free(b.addr, b.bytes); v <= poolimpl.Emptied != b.freed {
			t.Errorf("free of %d bytes at %#x: %d", b.bytes, b.addr, v)
		}
	}
}

// Owners come and go among goroutines that free the blocks of others, and counts of them all.
func TestOwnersAmongOthers(t *testing.T) {
	setPatience(t, 3, 4)
	c, f := filled(8)
	var all sync.WaitGroup
	blocks := make(chan uint64, 8)
	for id := 1; id <= 4; id++ {
		all.Go(func() {
			for k := range 5000 {
				slot, off, ok := c.AllocFast(64)
				if !ok {
					slot, off, ok = c.AllocAny(64, 64)
				}
				if !ok {
					t.Error("no block")
					return
				}
				addr := f.at(slot, off)
				if !f.change(addr, 64, 0, id) {
					t.Errorf("%#x was handed out twice", addr)
				}
				if !f.change(addr, 64, id, 0) {
					t.Errorf("%#x is somebody else's", addr)
				}
				if k%100 == 0 {
					blocks <- addr
					addr = <-blocks
				}
				if _, v := c.Free(addr, 64); v > poolimpl.Emptied {
					t.Errorf("free of %#x: %d", addr, v)
				}
				if k%1000 == 0 {
					c.Usage()
				}
			}
		})
	}
	all.Wait()
	if u := c.Usage(); u.Live != 0 {
		t.Errorf("%+v", u)
	}
}
