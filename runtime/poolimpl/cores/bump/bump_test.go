package bump

import (
	"math/bits"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

func TestZeroValue(t *testing.T) {
	c := newCore()
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("Alloc without a chunk")
	}
	c.Reset()
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("Usage = %+v", u)
	}
}

// TestPassedOver: a large request takes a later chunk and leaves the small ones before it for small requests.
func TestPassedOver(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<20, 4*granule)
	c.Add(1, 2<<20, 4*granule)
	c.Add(2, 3<<20, 64*granule)
	if _, _, ok := c.Alloc(65*granule, 1); ok {
		t.Fatal("more than a chunk")
	}
	if slot, _, ok := c.Alloc(60*granule, 1); !ok || slot != 2 {
		t.Fatalf("large: chunk %d, %v", slot, ok)
	}
	for _, want := range []uint32{2, 1, 0} {
		if slot, _, ok := c.Alloc(4*granule, 1); !ok || slot != want && want == 2 {
			t.Errorf("small: chunk %d, %v; want %d", slot, ok, want)
		}
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("all is taken")
	}
}

// TestExact: a request of a whole chunk fits an empty one.
func TestExact(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<20, c.Need(1000*granule, granule))
	if _, off, ok := c.Alloc(1000*granule, granule); !ok || off != 0 {
		t.Errorf("%d, %v", off, ok)
	}
}

// TestHuge: sizes and alignments near 2^64 wrap nowhere.
func TestHuge(t *testing.T) {
	c := newCore()
	c.Add(0, 1<<63, 1<<63)
	c.Alloc(1, 1)
	for _, tt := range []struct {
		bytes, align uint64
		ok           bool
	}{
		{1 << 63, 1, false},
		{^uint64(0), 1, false},
		{1, 1 << 63, false},
		{1 << 62, 1 << 62, true},
		{1<<62 + 1, 1, false},
	} {
		if _, _, ok := c.Alloc(tt.bytes, tt.align); ok != tt.ok {
			t.Errorf("Alloc(%d, 2^%d) ok = %v", tt.bytes, bits.Len64(tt.align)-1, ok)
		}
	}
}

func TestNoGarbage(t *testing.T) {
	c := newCore()
	c.Add(0, 0, 1<<20*granule)
	if n := testing.AllocsPerRun(100, func() {
		c.Alloc(3, 1)
		c.Alloc(5, 2*granule)
		c.Reset()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Uint64
	for range b.N {
		n.Add(1)
	}
}

func BenchmarkAlloc(b *testing.B) {
	c := newCore()
	for i := range uint32(8) {
		c.Add(i, uint64(i+1)<<30, 1<<20)
	}
	sizes := [8]uint64{64, 256, 16, 1000, 8, 48, 4096, 24}
	b.Run("pair", func(b *testing.B) {
		for range b.N {
			if _, _, ok := c.Alloc(64, 1); !ok {
				c.Reset()
			}
		}
	})
	b.Run("rand", func(b *testing.B) {
		for i := range b.N {
			if _, _, ok := c.Alloc(sizes[i&7], 1); !ok {
				c.Reset()
			}
		}
	})
}
