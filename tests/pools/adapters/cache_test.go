package adapters

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Slices are blocks of the pool, of the length that was asked for, also if only their beginning comes back.
func TestCache(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		var held [][]byte
		for i, n := range []int{1, 63, 64, 1000, 4096, 20000} {
			b := c.Get(n)
			if len(b) != n || cap(b) != max(n, leastOf(c)) {
				t.Errorf("Get(%d): length %d, capacity %d", n, len(b), cap(b))
			}
			fill(b, i)
			held = append(held, b)
		}
		k.wantLive(t, int64(len(held)))
		for i, b := range held {
			wantFilled(t, b, i)
			c.Put(b[:len(b)*i/len(held)])
		}
		k.wantLive(t, 0)
		wantStats(t, c, poolrt.AdapterStats{})
	})
}

// At the limit Get goes on with memory of the Go heap, which may be put back like blocks, or not.
func TestCacheAtTheLimit(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		fatal.If(t, k.pool.SetLimit(64<<10))
		first := c.Get(60000)
		second := c.Get(30000)
		huge := c.Get(1 << 20)
		fill(first, 1)
		fill(second, 2)
		fill(huge, 3)
		wantFilled(t, first, 1)
		wantFilled(t, second, 2)
		k.wantLive(t, 1)
		wantStats(t, c, poolrt.AdapterStats{Fallbacks: 2, FallbackBytes: 30000 + 1<<20})
		if f := k.pool.Stats().Failures; f != 2 {
			t.Errorf("the pool counts %d failures, want 2", f)
		}
		c.Put(second[:10])
		wantStats(t, c, poolrt.AdapterStats{Fallbacks: 2, FallbackBytes: 30000 + 1<<20, Foreign: 1})
		c.Put(first)
		k.wantLive(t, 0)
		b := c.Get(30000)
		k.wantLive(t, 1)
		c.Put(b)
	})
}

// What is no whole block changes nothing, and is counted.
func TestCacheRefuses(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		b := c.Get(1000)
		fill(b, 1)
		c.Put(b[1:])
		c.Put(b[:10:10])
		k.wantLive(t, 1)
		wantStats(t, c, poolrt.AdapterStats{Refused: 2})
		c.Put(make([]byte, 10))
		c.Put(nil)
		c.Put(b[:0:0])
		c.Put(c.Get(0))
		wantStats(t, c, poolrt.AdapterStats{Refused: 2, Foreign: 1})
		if f := k.pool.Stats().Failures; f != 0 {
			t.Errorf("a slice without bytes is no request, and the pool counts %d failures", f)
		}
		wantFilled(t, b, 1)
		other := c.Get(2000) // keeps the chunk
		c.Put(b)
		c.Put(b)
		k.wantLive(t, 1)
		if s := c.Stats(); s.Refused+s.Foreign != 4 { // the chunk of a pool without suballocator is gone
			t.Errorf("after a second Put: %+v", s)
		}
		c.Put(other)
	})
}

// A block with damage beside it is freed. It is no memory of others, and none that stays live.
func TestCacheOfDamagedBlocks(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		if k.name != "guarded" {
			return
		}
		var reports atomic.Int64
		defer poolrt.OnEvent(func(e poolrt.Event) {
			if e.Kind == poolrt.EventCorrupt {
				reports.Add(1)
			}
		})()
		const n = 50
		for range n { // half of the blocks begin where their pages do, so that there are bytes behind them
			b := c.Get(100)
			*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), cap(b))) = 7
			c.Put(b)
		}
		k.wantLive(t, 0)
		wantStats(t, c, poolrt.AdapterStats{})
		if reports.Load() != n {
			t.Errorf("%d reports of %d damaged blocks", reports.Load(), n)
		}
	})
}

// The pointer of gRPC is nil once it was put back, so a second time it does nothing, even if the block has another owner by then.
func TestBuffersPutTwice(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		if k.buffers == nil {
			return
		}
		b := k.buffers.Get(100)
		address := unsafe.SliceData(*b)
		k.buffers.Put(b)
		again := k.buffers.Get(100)
		k.buffers.Put(b)
		k.buffers.Put(nil)
		k.wantLive(t, 1)
		wantStats(t, k.buffers, poolrt.AdapterStats{})
		if k.name == "heap" && !poolrt.Debug && unsafe.SliceData(*again) != address {
			t.Error("the test has not got the same block again")
		}
		k.buffers.Put(again)
	})
}

// After Close, Get still returns a slice.
func TestCacheAfterClose(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		fatal.If(t, k.pool.Close())
		b := c.Get(100)
		fill(b, 1)
		c.Put(b)
		wantStats(t, c, poolrt.AdapterStats{Fallbacks: 1, FallbackBytes: 100, Foreign: 1})
	})
}

// As with make, a negative length is a panic.
func TestCacheOfNegativeLength(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
			wantStats(t, c, poolrt.AdapterStats{})
		}()
		c.Get(-1)
	})
}

// Goroutines share a cache whose pool is at its limit half of the time: no slice has two owners.
func TestCacheOfMany(t *testing.T) {
	eachCache(t, func(t *testing.T, k kind, c cache) {
		if k.name == "alone" {
			return
		}
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				var held [20][]byte
				for i := range 2000 {
					b := &held[i*i%len(held)]
					for j := range *b {
						if (*b)[j] != byte(g) {
							t.Error("a slice has two owners")
							return
						}
					}
					c.Put(*b)
					*b = c.Get(1 + i*37%8000)
					for j := range *b {
						(*b)[j] = byte(g)
					}
				}
				for _, b := range held {
					c.Put(b)
				}
			})
		}
		all.Wait()
		k.wantLive(t, 0)
		if s := c.Stats(); s.Foreign != s.Fallbacks || s.Refused != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A pair costs no allocation of Go; one of gRPC that of the pointer.
func TestCacheAllocations(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds record each block")
	}
	p := new(ShardPool)
	c, buffers, arrow := NewShardCache(p), NewShardBuffers(p), NewShardAllocator(p)
	for want, pair := range []func(){
		func() { c.Put(c.Get(1000)); arrow.Free(arrow.Allocate(1000)) },
		func() { buffers.Put(buffers.Get(1000)) },
	} {
		if got := testing.AllocsPerRun(1000, pair); got != float64(want) {
			t.Errorf("%v allocations, want %d", got, want)
		}
	}
}
