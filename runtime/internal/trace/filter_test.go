package trace

import (
	"math/rand/v2"
	"testing"
)

// A filter has each place of the set, through any sequence of changes, and few others. Places that share a bit keep it until the last one is removed.
func TestFilter(t *testing.T) {
	f, random := newFilter(16), rand.New(rand.NewPCG(1, 2))
	set := map[uint64]bool{}
	for range 100000 {
		place := random.Uint64N(64) * 64
		if set[place] {
			f.remove(place)
		} else if !f.full() {
			f.add(place)
		} else {
			continue
		}
		if set[place] = !set[place]; !set[place] {
			delete(set, place)
		}
		if f.has(place) != set[place] && set[place] {
			t.Fatalf("%#x is not in a set that has it", place)
		}
	}
	wrong := 0
	for place := uint64(1 << 20); place < 1<<20+64<<20; place += 64 {
		if f.has(place) {
			wrong++
		}
	}
	if most := 1 << 20 / bitsPerPlace * 2; wrong > most {
		t.Errorf("%d of %d other places are taken for some in the set, more than %d", wrong, 1<<20, most)
	}
	for place := range set {
		if !f.has(place) {
			t.Errorf("%#x is not in a set that has it", place)
		}
		f.remove(place)
	}
	for b := uint64(0); b <= f.mask; b += 64 {
		if w := f.word(b).Load(); w != 0 || len(f.more) > 0 {
			t.Fatalf("an empty set has bits %#x and %v", w, f.more)
		}
	}
}

// Two places with the same bit are removed one by one.
func TestFilterSharedBits(t *testing.T) {
	f := newFilter(16)
	first := uint64(64)
	second := first + 64
	for f.bit(second) != f.bit(first) {
		second += 64
	}
	third := second + 64
	for f.bit(third) != f.bit(first) {
		third += 64
	}
	for _, place := range []uint64{first, second, third} {
		f.add(place)
	}
	for i, place := range []uint64{second, first, third} {
		f.remove(place)
		if f.has(first) != (i < 2) {
			t.Errorf("after %d of 3 removals the bit is %v", i+1, f.has(first))
		}
	}
}
