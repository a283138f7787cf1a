package cuda

import (
	"math/bits"
	"sync"
	"testing"
)

// Ranges of numbers never overlap, whatever their lengths, and an offset in one is as aligned as its number.
func TestNumbering(t *testing.T) {
	type row struct{ start, size uint64 }
	var n numbering
	var rows []row
	for i := range uint64(200) {
		size := (i*i%37 + 1) << (16 + i%12)
		align := uint64(1) << (8 + i%20)
		start, ok := n.take(size, align)
		if !ok || start < firstNumber || start%align != 0 || start%(1<<bits.Len64(size-1)) != 0 {
			t.Fatalf("%d bytes, alignment %d: %#x %v", size, align, start, ok)
		}
		for _, r := range rows {
			if start < r.start+r.size && r.start < start+size {
				t.Fatalf("[%#x +%d] overlaps [%#x +%d]", start, size, r.start, r.size)
			}
		}
		rows = append(rows, row{start, size})
	}
}

// When no numbers are left, the error says so, and shorter ranges may still be available.
func TestNumberingEnds(t *testing.T) {
	n := numbering{next: lastNumber - 9<<20}
	for _, c := range []struct {
		size uint64
		ok   bool
	}{{1 << 40, false}, {4 << 20, true}, {4 << 20, false}, {1<<63 - 1, false}, {1 << 63, false}, {1<<64 - 1, false}, {1 << 16, true}} {
		start, ok := n.take(c.size, 1<<16)
		if ok != c.ok || ok && start+c.size > lastNumber {
			t.Errorf("%d bytes: %#x %v", c.size, start, ok)
		}
	}
}

// Pools of many goroutines share one numbering.
func TestNumberingTogether(t *testing.T) {
	var n numbering
	var mu sync.Mutex
	seen := map[uint64]bool{}
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			for range 1000 {
				start, _ := n.take(1<<16, 1<<16)
				mu.Lock()
				if seen[start] {
					t.Errorf("%#x is given out twice", start)
				}
				seen[start] = true
				mu.Unlock()
			}
		})
	}
	done.Wait()
}
