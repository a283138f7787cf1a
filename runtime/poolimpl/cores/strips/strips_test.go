package strips

import (
	"math/bits"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

func TestZeroValue(t *testing.T) {
	c := newCore()
	if _, _, ok := c.AllocFast(1); ok {
		t.Error("AllocFast without a chunk")
	}
	if _, _, ok := c.Alloc(1, 1); ok {
		t.Error("Alloc without a chunk")
	}
	c.Reset()
	if u := c.Usage(); u != (poolimpl.Usage{}) {
		t.Errorf("Usage = %+v", u)
	}
	if !c.Shut(false) {
		t.Error("Shut")
	}
}

// with returns a core for so many processors.
func with(procStrips int) *Core {
	c := newCore()
	list := make([]procStrip, procStrips)
	c.procStrips.Store(&list)
	return c
}

// from is Alloc on the processor of that number.
func (c *Core) from(n int, bytes, align uint64) (slot uint32, off uint64, ok bool) {
	l := &(*c.procStrips.Load())[n]
	if slot, off, ok = l.alloc(bytes, align); ok {
		return slot, off, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(l, bytes, align)
}

// TestExact: a request of a whole chunk fits an empty one, and so do as many small ones as there are granules.
func TestExact(t *testing.T) {
	c := with(4)
	c.Add(0, 1<<40, c.Need(1000*granule, 1))
	for range 3 {
		if _, off, ok := c.from(1, 1000*granule, 1); !ok || off != 0 {
			t.Fatalf("%d, %v", off, ok)
		}
		if _, _, ok := c.from(1, 1, 1); ok {
			t.Fatal("more than the chunk")
		}
		c.Reset()
		for i := range 1000 {
			if _, _, ok := c.from(i%3, 1, 1); !ok {
				t.Fatalf("block %d of 1000", i)
			}
		}
		if _, _, ok := c.from(3, 1, 1); ok {
			t.Fatal("more than the chunk")
		}
		c.Reset()
	}
}

// TestAlone: one goroutine wastes nothing, as what is left of a strip goes into the next one.
func TestAlone(t *testing.T) {
	c := with(4)
	size := 1 << 14 * granule
	c.Add(0, 1<<40, size)
	for end := uint64(0); end < size; {
		n := min(1+end/granule%7, (size-end)/granule) * granule
		_, off, ok := c.from(2, n, 1)
		if !ok || off != end {
			t.Fatalf("%d bytes at %d, %v; want %d", n, off, ok, end)
		}
		end += n
	}
}

// TestWaste: what is lost at the ends of strips is bounded, whatever the sizes.
func TestWaste(t *testing.T) {
	size := 1 << 16 * granule
	for _, n := range []uint64{3, 65, 500, 2049, 4097, 9000} {
		c := with(8)
		c.Add(0, 1<<40, size)
		taken := uint64(0)
		for i := 0; ; i++ {
			if _, _, ok := c.from(i*5%8, n*granule, 1); !ok {
				break
			}
			taken += n * granule
		}
		if lost := size - taken; lost > size/8+n*granule {
			t.Errorf("blocks of %d granules: %d of %d granules are lost", n, lost/granule, size/granule)
		}
	}
}

// TestHuge: sizes and alignments near 2^64 wrap nowhere.
func TestHuge(t *testing.T) {
	c := with(2)
	c.Add(0, 1<<63, 1<<63)
	c.from(0, 1, 1)
	for _, tt := range []struct {
		bytes, align uint64
		ok           bool
	}{
		{0, 1, false},
		{1 << 63, 1, false},
		{^uint64(0), 1, false},
		{1, 1 << 63, false},
		{1 << 62, 1 << 62, true},
		{1<<62 + 1, 1, false},
	} {
		if _, _, ok := c.from(0, tt.bytes, tt.align); ok != tt.ok {
			t.Errorf("Alloc(%d, 2^%d) ok = %v", tt.bytes, bits.Len64(tt.align)-1, ok)
		}
	}
}

// TestSealed: who comes late with a strip that was given up finds no room there.
func TestSealed(t *testing.T) {
	for name, give := range map[string]func(*Core){
		"reset": (*Core).Reset,
		"end":   func(c *Core) { c.Shut(false) },
	} {
		c := with(1)
		c.Add(0, 0, 1<<12*granule)
		c.from(0, 1, 1)
		old := (*c.procStrips.Load())[0].strip.Load()
		if _, ok := old.alloc(1, 1); !ok {
			t.Fatalf("%s: the strip has no room", name)
		}
		give(c)
		if _, ok := old.alloc(1, 1); ok {
			t.Errorf("%s: a sealed strip gives a block", name)
		}
	}
}

// TestShut: what was counted is still told.
func TestShut(t *testing.T) {
	c := with(2)
	c.Add(0, 0, 1<<12*granule)
	c.from(0, 3, 1)
	c.from(1, 1<<10*granule, 1)
	c.Shut(false)
	if u := c.Usage(); u.Live != 2 || u.LiveBytes != 3+1<<10*granule || u.LargestFree != 0 {
		t.Errorf("%+v", u)
	}
	if _, _, ok := c.from(0, 1, 1); ok {
		t.Error("a block after the end")
	}
}

// Requests count that come before the parameters, and those that find no strip.
func TestCountdown(t *testing.T) {
	c := new(Core)
	c.AllocFast(100)
	params := feature
	params.Samples = poolimpl.Weights{PerBlock: 5, PerByte: 2}
	c.Set(&params)
	left := c.Countdown(0)
	if left.Return(1, 205); left.Due() || !left.Spend(1) {
		t.Error("the first request did not count 205")
	}
	c.procStrips.Store(&[]procStrip{{}})
	c.AllocFast(1)
	if c.Countdown(0) != left || left.SpendSome(1, 0) != 0 {
		t.Error("there is a strip")
	}
	if left.Return(1, 8); left.Due() || !left.Spend(1) {
		t.Error("a request without a strip did not count 7")
	}
	c.Add(0, 0, 1<<12*granule)
	c.Alloc(1, 1)
	left = c.Countdown(0)
	if _, _, ok := c.AllocFast(1); ok || !left.Due() {
		t.Error("no sample is due")
	}
	left.Return(1, 14)
	if _, _, ok := c.AllocFast(1); !ok || left.Due() || !left.Spend(1) {
		t.Error("a request did not count 7")
	}
}

var _ poolimpl.SharedCore = (*Core)(nil)
