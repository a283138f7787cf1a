package shards

import (
	"math/rand/v2"
	rt "runtime"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Steal finds a chunk whose last block was freed, and does not look at chunks of which none was.
func TestStealAfterFree(t *testing.T) {
	if !poolimpl.Pins {
		t.Skip("the number of a processor is that of a goroutine")
	}
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1)) // all calls come from processor 0
	c, f := filled(1)
	if len(c.all()) == 1 {
		t.Skip("there is one shard")
	}
	other := c.shard(1)
	c.addTo(1, 1, f.at(1, 0), chunkBytes)
	slot, off, ok := other.core.Alloc(64, 64)
	if !ok || slot != 1 {
		t.Fatalf("a block of chunk %d, %v", slot, ok)
	}
	if c.Steal() {
		t.Error("a chunk with a live block is stolen")
	}
	if len(other.freed) != 0 {
		t.Errorf("%d chunks to look at again, of which no block was freed", len(other.freed))
	}
	if _, v := c.Free(f.at(1, off), 64); v > poolimpl.Emptied {
		t.Fatalf("Free = %d", v)
	}
	if !c.Steal() || c.chunkOf(f.at(1, 0)).shard != c.shard(0) {
		t.Error("the chunk stays where its last block was freed")
	}
	if _, _, ok := c.AllocAny(chunkBytes, 64); !ok {
		t.Error("a chunk is not whole")
	}
}

// Chunks that come and go leave nothing behind.
func TestChunksComeAndGo(t *testing.T) {
	c, f := filled(1)
	for range 100 {
		c.addTo(maxShards-1, 1, f.at(1, 0), chunkBytes)
		c.Evict(1)
	}
	for i := range c.all() {
		if n := len(c.all()[i].freed); n > 1 {
			t.Errorf("shard %d has %d chunks to look at, of one", i, n)
		}
	}
}

// AnyEmpty agrees with the bytes in use of each chunk, whatever came, went, or moved since it looked last.
func TestAnyEmpty(t *testing.T) {
	c, f := filled(1)
	random := rand.New(rand.NewPCG(1, 2))
	var live []uint64
	empties := 0
	for range 2000 {
		switch k := random.IntN(5); {
		case k == 0 && len(live) > 0: // some chunks become empty
			for _, addr := range live {
				c.Free(addr, 4096)
			}
			live = nil
		case k == 1:
			c.Steal()
		case k == 2 && c.chunks.Len() < 4:
			slot := uint32(c.chunks.Len())
			c.addTo(random.Uint32N(maxShards), slot, f.at(slot, 0), chunkBytes)
		default:
			if slot, off, ok := c.AllocAny(4096, 64); ok {
				live = append(live, f.at(slot, off))
			}
		}
		want := false
		for slot := range c.chunks.All() {
			want = want || c.Used(slot) == 0
		}
		if want {
			empties++
		}
		if got := c.AnyEmpty(); got != want {
			t.Fatalf("AnyEmpty is %v, with %d live blocks", got, len(live))
		}
	}
	if empties == 0 || empties == 2000 {
		t.Errorf("a chunk was empty %d times", empties)
	}
}
