package slabs

import (
	rt "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// someBytes returns the size of a bin.
func someBytes() uint64 {
	p := newPool(1)
	return bins[min(p.binOf(1024), len(bins)-1)]
}

// filled returns a pool of a processor without free blocks in slabs of the bin for bytes, and a block of each line, by the indices of the lines.
func filled(t *testing.T, bytes uint64) (p *pool, own *procBin, blocks []uint64) {
	t.Helper()
	p = newPool(1)
	own = &p.procCache(poolimpl.Proc()).bins[p.binOf(bytes)]
	for {
		slot, off, ok := p.Alloc(bytes, 1)
		s := p.find(p.bases[slot] + off)
		if !ok || s == nil { // the suballocator behind has served it
			break
		}
		if at := s.locate(p.bases[slot] + off); at.k == 0 {
			blocks = append(blocks, s.addr+uint64(at.w)*perLine*uint64(s.size))
		}
	}
	if len(blocks) < manyLines {
		t.Fatalf("%d lines of %d bytes", len(blocks), bytes)
	}
	index := func(addr uint64) int {
		s := p.find(addr)
		return int(s.firstLine + s.locate(addr).w)
	}
	slices.SortFunc(blocks, func(a, b uint64) int { return index(a) - index(b) })
	return p, own, blocks
}

// Of many lines that were full, those of which a block was freed last serve first.
func TestOpenedServeFirst(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	for _, bytes := range []uint64{bins[0], someBytes()} {
		p, _, blocks := filled(t, bytes)
		for _, at := range []int{5, 10, 20} {
			p.free(t, blocks[at], bytes)
		}
		for _, want := range []uint64{blocks[20], blocks[10], blocks[5]} {
			if slot, off, ok := p.Alloc(bytes, 1); !ok || p.bases[slot]+off != want {
				t.Fatalf("Alloc gives %#x, %v; %#x was freed last", p.bases[slot]+off, ok, want)
			}
		}
	}
}

// However many lines were opened, all are found, on each processor.
func TestOpenedAreFound(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	bytes := someBytes()
	p, _, blocks := filled(t, bytes)
	blocks = blocks[:manyLines/2]
	for _, addr := range blocks {
		p.free(t, addr, bytes)
	}
	found := map[uint64]bool{}
	for i := range blocks {
		other := p.procCache(poolimpl.Proc() + uint32(i))
		s, off, ok := p.allocElsewhere(other, p.binOf(bytes), bytes)
		if !ok {
			t.Fatalf("%d of %d blocks are found", i, len(blocks))
		}
		found[p.bases[s.slot]+off] = true
	}
	for _, addr := range blocks {
		if !found[addr] {
			t.Errorf("block %#x is not found", addr)
		}
	}
}

// A line with several free blocks is found after the last one that was taken, too.
func TestOpenedWithMore(t *testing.T) {
	defer rt.GOMAXPROCS(rt.GOMAXPROCS(1))
	bytes := someBytes()
	p, own, blocks := filled(t, bytes)
	p.free(t, blocks[7], bytes)
	p.free(t, blocks[7]+bytes, bytes)
	other := &p.procCache(poolimpl.Proc() + 1).bins[p.binOf(bytes)]
	for i := range 2 {
		s, off, ok := own.alloc(other, bytes)
		if addr := blocks[7] + uint64(i)*bytes; !ok || p.bases[s.slot]+off != addr {
			t.Fatalf("block %d of the line is not found", i)
		}
	}
}

// With few lines, a free leaves the line that serves next as it is.
func TestFewLines(t *testing.T) {
	p := newPool(1)
	s, _ := first(t, p)
	for ok := true; ok; {
		_, _, ok = s.alloc(bins[0])
	}
	p.free(t, s.addr, bins[0])
	if i, any := s.in.opened.pop(); any {
		t.Errorf("line %d of %d is to serve next", i, s.in.lines)
	}
}

// Each line that several goroutines add comes out as often.
func TestOpenedLinesKeepAll(t *testing.T) {
	const workers, each = 4, 1000
	rounds := uint32(1000) // a pop that loses a line is seen in most runs of so many
	if testing.Short() {
		rounds = 100
	}
	var o openedLines
	var all sync.WaitGroup
	var out [workers * each]atomic.Uint32
	for id := range uint32(workers) {
		all.Go(func() {
			for n := range rounds * each {
				if displaced, any := o.push(id*each + n%each); any {
					out[displaced].Add(1)
				}
				if i, any := o.pop(); any && n%3 > 0 {
					out[i].Add(1)
				} else if any {
					if displaced, any := o.push(i); any {
						out[displaced].Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	for i, any := o.pop(); any; i, any = o.pop() {
		out[i].Add(1)
	}
	for i := range out {
		if n := out[i].Load(); n != rounds {
			t.Fatalf("line %d, which was added %d times, comes out %d times", i, rounds, n)
		}
	}
}

// An index without room comes back at once.
func TestLastIndex(t *testing.T) {
	var o openedLines
	if i, any := o.push(lastIndex); !any || i != lastIndex {
		t.Errorf("index %d gives %d, %v", lastIndex, i, any)
	}
	o.push(lastIndex - 1)
	if i, any := o.pop(); !any || i != lastIndex-1 {
		t.Errorf("index %d comes out as %d, %v", lastIndex-1, i, any)
	}
}
