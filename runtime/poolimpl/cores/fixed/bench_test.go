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

func BenchmarkIncrements(b *testing.B) {
	a := make([]uint64, 2*len(b.Name()))
	for i := range b.N {
		a[i&1]++
		a[i&1+2]++
	}
}

var params = Params{BlockSize: 64, ItemBytes: 64, Counters: true, Trims: true}

// pool is what a shell adds to the suballocator: the chunks' places.
type pool struct {
	*Core
	bases []uint64
}

// alloc is the inlined fast path, then the rest, then the address.
func (p *pool) alloc() uint64 {
	slot, off, ok := p.AllocFast()
	if !ok {
		if slot, off, ok = p.Alloc(params.ItemBytes, 1); !ok {
			panic("full")
		}
	}
	return p.bases[slot] + off
}

// full returns a pool of 64 Ki blocks in as many chunks, all handed out, and their addresses shuffled.
func full(chunks int) (*pool, []uint64) {
	p := &pool{Core: newCore(params)}
	blocks := 1 << 16 / uint64(chunks)
	for i := range chunks {
		p.bases = append(p.bases, uint64(i+1)*2*blocks*params.BlockSize)
		p.Add(uint32(i), p.bases[i], blocks*params.BlockSize)
	}
	addrs := make([]uint64, blocks*uint64(chunks))
	for i := range addrs {
		addrs[i] = p.alloc()
	}
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(addrs), func(i, j int) { addrs[i], addrs[j] = addrs[j], addrs[i] })
	return p, addrs
}

func BenchmarkOps(b *testing.B) {
	for _, chunks := range []int{1, 16} {
		n := "/" + strconv.Itoa(chunks)
		b.Run("pair"+n, func(b *testing.B) { benchPair(b, chunks) })
		b.Run("batch"+n, func(b *testing.B) { benchBatch(b, chunks) })
		b.Run("rand"+n, func(b *testing.B) { benchRandom(b, chunks, 50) })
		b.Run("99"+n, func(b *testing.B) { benchRandom(b, chunks, 99) })
	}
}

// half returns a pool half of whose blocks are in use.
func half(chunks int) *pool {
	p, addrs := full(chunks)
	for _, a := range addrs[len(addrs)/2:] {
		p.Free(a, params.ItemBytes)
	}
	return p
}

func benchPair(b *testing.B, chunks int) {
	p := half(chunks)
	b.ResetTimer()
	for range b.N {
		slot, off, ok := p.AllocFast()
		if !ok {
			b.Fatal("full")
		}
		p.Free(p.bases[slot]+off, params.ItemBytes)
	}
}

func benchBatch(b *testing.B, chunks int) {
	p := half(chunks)
	var held [64]uint64
	b.ResetTimer()
	for i := 0; i < b.N; i += len(held) {
		for j := range held {
			held[j] = p.alloc()
		}
		for _, a := range held {
			p.Free(a, params.ItemBytes)
		}
	}
}

// benchRandom replaces blocks at random while the pool stays filled to percent.
func benchRandom(b *testing.B, chunks, percent int) {
	p, addrs := full(chunks)
	keep := len(addrs) * percent / 100
	for _, a := range addrs[keep:] {
		p.Free(a, params.ItemBytes)
	}
	addrs = addrs[:keep]
	r := rand.New(rand.NewPCG(7, 8))
	picks := make([]uint32, 1<<16)
	for i := range picks {
		picks[i] = uint32(r.IntN(keep))
	}
	replace := func(n int) {
		for i := range n {
			k := picks[i&(len(picks)-1)]
			p.Free(addrs[k], params.ItemBytes)
			addrs[k] = p.alloc()
		}
	}
	replace(4 * len(picks))
	b.ResetTimer()
	replace(b.N)
}
