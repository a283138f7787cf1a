package fixed

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
)

// Two references for ratios within one run: R_add, and the two plain increments that counting alone costs.

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for range b.N {
		n.Add(1)
	}
}

//go:noinline
func increments(n int, a *[2]uint64) {
	for range n {
		a[0]++
		a[1]++
	}
}

func BenchmarkIncrements(b *testing.B) {
	var a [2]uint64
	increments(b.N, &a)
}

// full returns a suballocator of 64 Ki blocks in as many chunks, all handed out, and their addresses shuffled.
func full(chunks uint32) (*Core, []uint64) {
	c := new(Core)
	blocks := min(1<<16, MaxBlocks) / uint64(chunks)
	base := func(slot uint32) uint64 { return uint64(slot+1) * 2 * blocks * blockSize }
	addrs := make([]uint64, 0, blocks*uint64(chunks))
	for i := range chunks {
		c.Add(i, base(i), blocks*blockSize)
	}
	for {
		slot, off, ok := c.Alloc(itemBytes, 1)
		if !ok {
			break
		}
		addrs = append(addrs, base(slot)+off)
	}
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(addrs), func(i, j int) { addrs[i], addrs[j] = addrs[j], addrs[i] })
	return c, addrs
}

func BenchmarkOps(b *testing.B) {
	for _, chunks := range []uint32{1, 16} {
		if single && chunks > 1 {
			continue
		}
		n := "/" + strconv.Itoa(int(chunks))
		b.Run("pair"+n, func(b *testing.B) { benchBatch(b, chunks, 1) })
		b.Run("batch"+n, func(b *testing.B) { benchBatch(b, chunks, 64) })
		b.Run("rand"+n, func(b *testing.B) { benchRandom(b, chunks, 50) })
		b.Run("99"+n, func(b *testing.B) { benchRandom(b, chunks, 99) })
	}
}

// alloc is what a shell does: the inlined fast path, then the rest, then the address.
func alloc(c *Core, chunks uint32) uint64 {
	slot, off, ok := c.Take()
	if !ok {
		if slot, off, ok = c.Alloc(itemBytes, 1); !ok {
			panic("full")
		}
	}
	return uint64(slot+1)*2*(min(1<<16, MaxBlocks)/uint64(chunks))*blockSize + off
}

// benchBatch allocates some blocks and frees them, half of the pool being in use.
func benchBatch(b *testing.B, chunks uint32, size int) {
	c, addrs := full(chunks)
	for _, a := range addrs[len(addrs)/2:] {
		c.Free(a)
	}
	held := make([]uint64, size)
	b.ResetTimer()
	for i := 0; i < b.N; i += size {
		for j := range held {
			held[j] = alloc(c, chunks)
		}
		for _, a := range held {
			c.Free(a)
		}
	}
}

// benchRandom replaces blocks at random while the pool stays filled to percent.
func benchRandom(b *testing.B, chunks uint32, percent int) {
	c, addrs := full(chunks)
	keep := len(addrs) * percent / 100
	for _, a := range addrs[keep:] {
		c.Free(a)
	}
	addrs = addrs[:keep]
	r := rand.New(rand.NewPCG(7, 8))
	picks := make([]uint32, 1<<16)
	for i := range picks {
		picks[i] = uint32(r.IntN(keep))
	}
	for range 4 * len(picks) {
		k := picks[r.IntN(len(picks))]
		c.Free(addrs[k])
		addrs[k] = alloc(c, chunks)
	}
	b.ResetTimer()
	for i := range b.N {
		k := picks[i&(len(picks)-1)]
		c.Free(addrs[k])
		addrs[k] = alloc(c, chunks)
	}
}
