package poolimpl

import (
	"math/rand/v2"
	"testing"
)

// TestSizeBin computes the bins of all small sizes and of those around each power of two.
func TestSizeBin(t *testing.T) {
	last := uint32(0)
	grows := func(n uint32) {
		b := SizeBin(n)
		if b < last || b > last+1 && n < 1<<16 || b >= sizeBins {
			t.Fatalf("size %d is in bin %d, a smaller one in %d", n, b, last)
		}
		last = b
	}
	for n := range uint32(1 << 16) {
		grows(n)
	}
	for e := 16; e < 32; e++ {
		grows(1<<e - 1)
		grows(1 << e)
	}
	if grows(1<<32 - 1); last != sizeBins-1 {
		t.Errorf("the largest size is in bin %d of %d", last, sizeBins)
	}
}

// TestSizeBins compares the bins with lists of numbers.
func TestSizeBins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s SizeBins
	lists := map[uint32][]uint32{} // by bin, the first range last
	head := func(b uint32) uint32 {
		if l := lists[b]; len(l) > 0 {
			return l[len(l)-1]
		}
		return 0
	}
	for i := uint32(1); i < 20000; i++ {
		b := SizeBin(r.Uint32() >> r.IntN(32))
		if l := lists[b]; len(l) > 0 && r.IntN(2+len(lists)/50) > 0 {
			lists[b] = l[:len(l)-1]
			s.Pop(b, head(b))
		} else {
			if got, want := s.Push(b, i), head(b); got != want {
				t.Fatalf("Push found %d in bin %d, want %d", got, b, want)
			}
			lists[b] = append(l, i)
		}
		checkSizeBins(t, &s, head)
	}
}

// checkSizeBins compares the results of SizeBins' methods with the first range of each bin.
func checkSizeBins(t *testing.T, s *SizeBins, head func(uint32) uint32) {
	t.Helper()
	first, last := uint32(0), uint32(0)
	if got := s.First(sizeBins); got != 0 {
		t.Fatalf("First(%d) = %d, past the last bin", sizeBins, got)
	}
	for b := uint32(sizeBins); b > 0; {
		b--
		if h := head(b); h != 0 {
			first = h
			if last == 0 {
				last = h
			}
		}
		if s.First(b) != first || s.Head(b) != head(b) {
			t.Fatalf("bin %d: First is %d, Head %d, want %d and %d", b, s.First(b), s.Head(b), first, head(b))
		}
	}
	if s.Last() != last || s.Empty() != (last == 0) {
		t.Fatalf("Last is %d, Empty %t, want %d", s.Last(), s.Empty(), last)
	}
}
