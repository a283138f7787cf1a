package poolimpl

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A slotList has the same slots as a slice, whatever changes where.
func TestSlotList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var l slotList
	var want []uint32
	for i := range uint32(4000) {
		switch n := len(want); {
		case n > 0 && r.IntN(5) < 2:
			at := r.IntN(n)
			l.remove(at)
			want = slices.Delete(want, at, at+1)
		default:
			at := []int{0, n, r.IntN(n + 1)}[r.IntN(3)]
			l.insert(at, i)
			want = slices.Insert(want, at, i)
		}
		if !slices.Equal(l.all(), want) {
			t.Fatalf("after %d changes: %v, want %v", i+1, l.all(), want)
		}
	}
}

// Slots that come and go at one end, or go round, make no garbage.
func TestSlotListWithoutGarbage(t *testing.T) {
	var l slotList
	for i := range uint32(10) {
		l.insert(int(i), i)
	}
	for _, at := range []struct{ in, out int }{{10, 0}, {10, 10}, {0, 10}, {0, 0}} {
		if n := testing.AllocsPerRun(1000, func() {
			l.insert(at.in, 1)
			l.remove(at.out)
		}); n > 0 {
			t.Errorf("in at %d, out at %d: %v allocations", at.in, at.out, n)
		}
	}
}

// At either end a slot more moves no other.
func TestSlotListAtTheEnds(t *testing.T) {
	for _, end := range []string{"low", "high"} {
		var l slotList
		at := func() int {
			if end == "low" {
				return 0
			}
			return len(l.all())
		}
		const many = 1 << 20
		made := testing.AllocsPerRun(1, func() {
			l = slotList{}
			for i := range uint32(many) {
				l.insert(at(), i)
			}
		})
		if made > 32 {
			t.Errorf("%v allocations at the %s end", made, end)
		}
	}
}
