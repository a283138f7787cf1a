package strict

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// Two references for ratios within one run: two mutexes locked and unlocked, and two atomic additions.

func BenchmarkMutexes(b *testing.B) {
	var m, n sync.Mutex
	for range b.N {
		pass(&m)
		pass(&n)
	}
}

func pass(m *sync.Mutex) {
	m.Lock()
	//lint:ignore SA2001 nothing is guarded
	m.Unlock()
}

func BenchmarkAdds(b *testing.B) {
	var n atomic.Uint64
	for range b.N {
		n.Add(1)
		n.Add(1)
	}
}

// pool is what a shell adds to the suballocator: the chunks' places.
type pool struct {
	*Core
	bases []uint64
}

func (p *pool) alloc() uint64 {
	slot, off, ok := p.fast()
	if !ok {
		if slot, off, ok = p.Alloc(itemBytes, 1); !ok {
			panic("full")
		}
	}
	return p.bases[slot] + off
}

// full returns a pool of n blocks in as many chunks, all handed out, and their addresses shuffled.
func full(n uint64, chunks int) (*pool, []uint64) {
	p := &pool{Core: newCore()}
	each := n / uint64(chunks)
	for i := range chunks {
		p.bases = append(p.bases, uint64(i+1)*2*each*blockSize)
		p.Add(uint32(i), p.bases[i], each*blockSize)
	}
	addrs := make([]uint64, each*uint64(chunks))
	for i := range addrs {
		addrs[i] = p.alloc()
	}
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(addrs), func(i, j int) { addrs[i], addrs[j] = addrs[j], addrs[i] })
	return p, addrs
}

// filled returns a pool filled to percent, and what is live there.
func filled(n uint64, chunks, percent int) (*pool, []uint64) {
	p, addrs := full(n, chunks)
	keep := len(addrs) * percent / 100
	for _, a := range addrs[keep:] {
		p.Free(a, itemBytes)
	}
	return p, addrs[:keep]
}

func BenchmarkOps(b *testing.B) {
	for _, size := range []struct {
		blocks uint64
		chunks int
	}{{10, 1}, {1 << 16, 1}, {1 << 16, 16}, {1 << 20, 1}, {1 << 20, 64}} {
		name := "/" + strconv.FormatUint(size.blocks, 10) + "in" + strconv.Itoa(size.chunks)
		b.Run("pair"+name, func(b *testing.B) {
			p, _ := filled(size.blocks, size.chunks, 50)
			b.ResetTimer()
			for range b.N {
				p.Free(p.alloc(), itemBytes)
			}
		})
		b.Run("batch"+name, func(b *testing.B) { benchBatch(b, size.blocks, size.chunks) })
		b.Run("rand"+name, func(b *testing.B) { benchRandom(b, size.blocks, size.chunks, 50) })
		b.Run("99"+name, func(b *testing.B) { benchRandom(b, size.blocks, size.chunks, 99) })
	}
}

func benchBatch(b *testing.B, blocks uint64, chunks int) {
	p, _ := filled(blocks, chunks, 0)
	held := make([]uint64, min(64, blocks))
	b.ResetTimer()
	for i := 0; i < b.N; i += len(held) {
		for j := range held {
			held[j] = p.alloc()
		}
		for _, a := range held {
			p.Free(a, itemBytes)
		}
	}
}

// benchRandom replaces blocks at random while the pool stays filled to percent.
func benchRandom(b *testing.B, blocks uint64, chunks, percent int) {
	p, addrs := filled(blocks, chunks, percent)
	r := rand.New(rand.NewPCG(7, 8))
	picks := make([]uint32, 1<<16)
	for i := range picks {
		picks[i] = uint32(r.IntN(len(addrs)))
	}
	replace := func(n int) {
		for i := range n {
			k := picks[i&(len(picks)-1)]
			p.Free(addrs[k], itemBytes)
			addrs[k] = p.alloc()
		}
	}
	replace(4 * len(picks))
	b.ResetTimer()
	replace(b.N)
}
