package adapters

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// whole is what the tests call of a pool.
type whole interface {
	poolrt.Blocks
	Stats() poolrt.Stats
	SetLimit(bytes int64) error
	Trim(keep int64) (int64, error)
	Close() error
}

// allocator is the interface of Arrow.
type allocator interface {
	Allocate(n int) []byte
	Reallocate(n int, b []byte) []byte
	Free(b []byte)
	Stats() poolrt.AdapterStats
}

// cache is the interface in the place of a sync.Pool.
type cache interface {
	Get(n int) []byte
	Put(b []byte)
	Stats() poolrt.AdapterStats
}

// pointers is the interface of gRPC.
type pointers interface {
	Get(n int) *[]byte
	Put(b *[]byte)
	Stats() poolrt.AdapterStats
}

// plain makes a cache of the adapter for gRPC.
type plain struct{ pointers }

func (p plain) Get(n int) []byte { return *p.pointers.Get(n) }
func (p plain) Put(b []byte)     { p.pointers.Put(&b) }

// kind is a kind of pool with its adapters; nil for one that it does not have.
type kind struct {
	name      string
	zeroed    bool
	pool      whole
	cache     cache
	buffers   pointers
	allocator allocator
}

// kinds returns an unused pool of each kind.
func kinds() []kind {
	heap, shard, bin, class, ring, hole, octet, pin, alone, guarded := new(HeapPool), new(ShardPool), new(BinPool), new(ClassPool), new(RingPool), new(WholePool), new(OctetPool), new(PinPool), new(AlonePool), new(GuardedPool)
	return []kind{
		{"heap", false, heap, NewHeapCache(heap), NewHeapBuffers(heap), NewHeapAllocator(heap)},
		{"shard", false, shard, NewShardCache(shard), NewShardBuffers(shard), NewShardAllocator(shard)},
		{"bin", false, bin, NewBinCache(bin), NewBinBuffers(bin), NewBinAllocator(bin)},
		{"class", true, class, NewClassCache(class), NewClassBuffers(class), NewClassAllocator(class)},
		{"ring", false, ring, NewRingCache(ring), NewRingBuffers(ring), NewRingAllocator(ring)},
		{"whole", false, hole, NewWholeCache(hole), NewWholeBuffers(hole), NewWholeAllocator(hole)},
		{"octet", false, octet, NewOctetCache(octet), NewOctetBuffers(octet), NewOctetAllocator(octet)},
		{"pin", false, pin, NewPinCache(pin), NewPinBuffers(pin), NewPinAllocator(pin)},
		{"alone", false, alone, NewAloneCache(alone), nil, NewAloneAllocator(alone)},
		{"guarded", false, guarded, NewGuardedCache(guarded), NewGuardedBuffers(guarded), NewGuardedAllocator(guarded)},
	}
}

// each runs a test for each kind of pool, which it closes at the end: no block may be live.
func each(t *testing.T, test func(t *testing.T, k kind)) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			test(t, k)
			if err := k.pool.Close(); err != nil && !t.Failed() {
				t.Error(err)
			}
		})
	}
}

// leastOf returns the capacity of the smallest blocks of a cache: gRPC does not put back smaller ones.
func leastOf(c cache) int {
	if _, ok := c.(plain); ok {
		return 1025
	}
	return 0
}

// eachCache runs a test for each cache, and for each adapter for gRPC.
func eachCache(t *testing.T, test func(t *testing.T, k kind, c cache)) {
	each(t, func(t *testing.T, k kind) { test(t, k, k.cache) })
	each(t, func(t *testing.T, k kind) {
		if k.buffers != nil {
			test(t, k, plain{k.buffers})
		}
	})
}

func (k kind) wantLive(t *testing.T, n int64) {
	t.Helper()
	if s := k.pool.Stats(); s.Live != n {
		t.Errorf("%d blocks are live, want %d", s.Live, n)
	}
}

func wantStats(t *testing.T, a interface{ Stats() poolrt.AdapterStats }, want poolrt.AdapterStats) {
	t.Helper()
	if got := a.Stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// fill writes bytes that depend on seed.
func fill(b []byte, seed int) {
	for i := range b {
		b[i] = byte(i*7 + seed)
	}
}

// wantFilled checks what fill has written.
func wantFilled(t *testing.T, b []byte, seed int) {
	t.Helper()
	for i := range b {
		if b[i] != byte(i*7+seed) {
			t.Fatalf("byte %d of %d has changed", i, len(b))
		}
	}
}
