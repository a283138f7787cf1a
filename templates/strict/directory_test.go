package strict

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDirectory: whatever way chunks lie, each address is found in the one that it lies in.
func TestDirectory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 2 + r.IntN(50)
		starts := map[uint64]bool{0: round%3 == 0, ^uint64(0) - 5: round%3 == 0}
		for len(starts) < n {
			starts[r.Uint64N(1000)*1000+uint64(r.IntN(3))<<(10+r.IntN(50))] = true
		}
		tab := new(table)
		for s := range starts {
			tab.starts = append(tab.starts, s)
		}
		slices.Sort(tab.starts)
		for _, s := range tab.starts {
			tab.order = append(tab.order, &chunk{base: s})
		}
		tab.indexed()
		for i, s := range tab.starts {
			next := ^uint64(0)
			if i+1 < len(tab.starts) {
				next = tab.starts[i+1] - 1
			}
			for _, addr := range []uint64{s, s + (next-s)/2, next} {
				if got := tab.search(addr); got.base != s {
					t.Fatalf("%#x is found at %#x, not at %#x of %x", addr, got.base, s, tab.starts)
				}
			}
		}
		if below := tab.starts[0] - 1; tab.starts[0] > 0 && below-tab.search(below).base < 1<<50 {
			t.Fatalf("%#x is found at %#x", below, tab.search(below).base)
		}
	}
}

// TestBelowNeighbours: where parts are as short as they can be, which takes chunks of single numbers, an address right below the first one lies in none.
func TestBelowNeighbours(t *testing.T) {
	for _, starts := range [][]uint64{{1, 2}, {10, 12}, {10, 11, 13, 16}} {
		tab := &table{starts: starts}
		for _, s := range starts {
			tab.order = append(tab.order, &chunk{base: s, count: 1})
		}
		tab.indexed()
		for addr := range starts[0] {
			if ch := tab.search(addr); addr-ch.base < ch.count {
				t.Errorf("%d is found at %d of %d", addr, ch.base, starts)
			}
		}
	}
}
