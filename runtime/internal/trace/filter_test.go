package trace

import (
	"math/rand/v2"
	"testing"
)

func newPlaces(n int) places { return places{filter: newFilter(n), shared: map[uint64]int{}} }

// A filter has each place of the set, through any sequence of changes, and few others. Places that share a slot keep it until the last one is removed.
func TestFilter(t *testing.T) {
	for _, apart := range []uint64{4, 16, 64, 4096, 2 << 20, 1 << 32} {
		p, random := newPlaces(16), rand.New(rand.NewPCG(1, apart))
		set := map[uint64]bool{}
		for range 100000 {
			place := random.Uint64N(64) * apart
			switch {
			case set[place]:
				p.remove(place)
				delete(set, place)
			case p.fits():
				p.add(place)
				set[place] = true
			}
			if set[place] && !p.has(place) {
				t.Fatalf("%#x is not in a set that has it", place)
			}
		}
		wrong, others := 0, uint64(1<<14)
		for i := range others {
			if p.has((64 + i) * apart) {
				wrong++
			}
		}
		if most := 3 * int(others) / slotsPerPlace / slotsPerPlace; wrong > most {
			t.Errorf("%d apart: %d of %d other places are taken for some in the set, more than %d", apart, wrong, others, most)
		}
		for place := range set {
			p.remove(place)
		}
		for h := uint64(0); h <= p.mask; h++ {
			if w := *p.slot(h); w != 0 || len(p.shared) > 0 || p.count != 0 {
				t.Fatalf("an empty set has %d in a slot, %v and %d places", w, p.shared, p.count)
			}
		}
	}
}

// Places with the same slot are removed one by one.
func TestFilterSharedSlots(t *testing.T) {
	p := newPlaces(16)
	same := []uint64{64}
	for place := uint64(128); len(same) < 3; place += 64 {
		if p.slot(hash(place)) == p.slot(hash(same[0])) {
			same = append(same, place)
		}
	}
	for _, place := range same {
		p.add(place)
	}
	for i, at := range []int{1, 0, 2} {
		p.remove(same[at])
		if p.has(same[2]) != (i < 2) {
			t.Errorf("after %d of 3 removals the last place is in the set: %v", i+1, p.has(same[2]))
		}
	}
}
