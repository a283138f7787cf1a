package heap

import "testing"

// A large chunk that is empty waits for a request that takes up most of it, until there is no other way.
func TestReserve(t *testing.T) {
	if !preferUsed {
		t.Skip("a heap that keeps no chunk for large requests")
	}
	usual, large := 64*granule, 1024*granule
	c := newCore()
	alloc := func(what string, bytes uint64, want uint32, served bool) uint64 {
		t.Helper()
		slot, off, ok := c.Alloc(bytes, 1)
		if ok != served || ok && slot != want {
			t.Fatalf("%s: chunk %d, %v", what, slot, ok)
		}
		return uint64(slot)<<40 + off
	}
	c.Add(0, 0, usual)
	first := alloc("a chunk of the usual size", usual, 0, true)
	c.Add(1, 1<<40, large)
	whole := alloc("the chunk that came for a request", large-granule, 1, true)
	free(t, &c, whole, large-granule)
	alloc("small, and nothing else is free", granule, 0, false)
	alloc("just under seven eighths", large/8*7-granule, 0, false)
	whole = alloc("most of it", large/8*7, 1, true)
	rest := alloc("what is left beside it", granule, 1, true)
	free(t, &c, whole, large/8*7)
	whole = alloc("part of a chunk that is in use", large/2, 1, true)
	free(t, &c, whole, large/2)
	free(t, &c, rest, granule)
	free(t, &c, first, usual)
	alloc("a chunk of the usual size is not kept", granule, 0, true)
	alloc("larger than what is left there", usual, 0, false)
	if !c.Flush() {
		t.Error("there was a chunk to open")
	}
	if c.Flush() {
		t.Error("it was open already")
	}
	rest = alloc("the pool cannot grow", usual, 1, true)
	free(t, &c, rest, usual)
	alloc("nor later", usual, 1, true)
	c.Space.check(t)
}

// A chunk that is kept for large requests hides no free memory of other chunks from first fit, which finds it first.
func TestReserveHidesNothing(t *testing.T) {
	if !preferUsed || fit != FirstFit {
		t.Skip("a heap that keeps no chunk for large requests, or keeps larger ranges whole")
	}
	for _, align := range []uint64{1, 4 * granule} {
		unit := granule * uint64(leastRest) // what is left of a range is at least so large, or goes with the block
		c := newCore()
		for slot, size := range []uint64{100, 64, 300} { // in units
			c.Add(uint32(slot), uint64(slot)<<40, size*unit)
		}
		alloc := func(what string, n uint64, want uint32) {
			t.Helper()
			if slot, _, ok := c.Alloc(n*unit, align); !ok || slot != want {
				t.Errorf("%s, alignment %d: chunk %d, %v, want %d", what, align, slot, ok, want)
			}
		}
		alloc("most of a chunk", 292, 2)
		alloc("a chunk of the usual size", 64, 1)
		alloc("beside the first block", 8, 2)
		free(t, &c, 2<<40, 292*unit)
		alloc("a chunk in use", 80, 2)
		alloc("what is left there", 80, 2)
		alloc("most of the empty chunk", 90, 0)
		c.Space.check(t)
	}
}

// A chunk that came for a request serves it, however large it is.
func TestReserveAfterAdd(t *testing.T) {
	if !preferUsed {
		t.Skip("a heap that keeps no chunk for large requests")
	}
	c := newCore()
	c.Add(0, 0, 64*granule)
	c.Add(1, 1<<40, 1024*granule)
	if slot, _, ok := c.Alloc(100*granule, 1); !ok || slot != 1 {
		t.Errorf("chunk %d, %v", slot, ok)
	}
}
