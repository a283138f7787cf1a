//go:build pooldebug

package poolimpl

import (
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// To list the live blocks takes as much memory for a thousand blocks as for ten: the blocks of a call are added up beforehand.
func TestLeaksDoNotPassOverBlocks(t *testing.T) {
	allocations := func(n int) float64 {
		p := newRig(t, func(c *Config) { c.Spacing, c.ChunkSize = 1, 100_000 })
		for range n {
			if _, err := p.ready().Alloc(1, 10, 1); err != nil {
				t.Fatal(err)
			}
		}
		if all := p.Leaks(); len(all) != 1 || all[0].Count != int64(n) || all[0].Bytes != int64(10*n) {
			t.Errorf("the leaks of %d blocks: %+v", n, all)
		}
		return testing.AllocsPerRun(10, func() { p.Leaks() })
	}
	if few, many := allocations(10), allocations(1000); many > few {
		t.Errorf("Leaks allocates %v times with 1000 blocks, and %v times with 10", many, few)
	}
}

// The sums of each call are those of the live blocks, with the time of the oldest, whatever was freed in between.
func TestLeaksFollowFrees(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Spacing, c.ChunkSize = 1, 100_000 })
	var list []uint64
	var times []time.Time
	for range 6 {
		b, err := p.ready().Alloc(1, 10, 1)
		fatal.If(t, err)
		list, times = append(list, b.Addr), append(times, p.observed.debug.blocks[b.Addr].allocatedAt.time)
	}
	other := func() error { // the engine leaves out its caller, the pool's method
		_, err := p.ready().Alloc(1, 50, 1)
		return err
	}
	fatal.If(t, other())
	left := map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true}
	for _, i := range []int{0, 3, 5, 1} {
		fatal.If(t, p.Free(list[i], 10))
		delete(left, i)
		oldest := 0
		for !left[oldest] {
			oldest++
		}
		all := p.Leaks()
		if len(all) != 2 {
			t.Fatalf("%d calls: %+v", len(all), all)
		}
		if sum(all) != int64(50+10*len(left)) || !has(all, int64(len(left)), times[oldest]) {
			t.Errorf("after the free of block %d: %+v, want %d blocks since %v", i, all, len(left), times[oldest])
		}
	}
	for _, i := range []int{2, 4} {
		fatal.If(t, p.Free(list[i], 10))
	}
	if n := len(p.observed.debug.sites); n != 1 {
		t.Errorf("%d calls are kept, and one has live blocks", n)
	}
}

// A block that the core does not take back is live again, in its place among the older and the younger ones.
func TestLeaksOrderOfABlockThatIsLiveAgain(t *testing.T) {
	d := &debugState{}
	var blocks []*blockRecord
	for _, l := range []blockLife{{serial: 1, bytes: 1}, {serial: 2, bytes: 2}, {serial: 3, bytes: 4}} {
		blocks = append(blocks, &blockRecord{blockLife: l})
	}
	for _, b := range blocks {
		d.count(b, 1)
	}
	for i, b := range blocks {
		d.count(b, -1)
		d.count(b, -1) // a Reset beside the free
		d.count(b, 1)
		s := d.sites[nil]
		for n, at := 0, s.oldest; n < len(blocks); n, at = n+1, at.newer {
			if at != blocks[n] {
				t.Fatalf("after block %d: number %d is at place %d", i+1, at.serial, n+1)
			}
		}
		if s.count != 3 || s.bytes != 7 || s.newest != blocks[2] {
			t.Errorf("after block %d: %+v", i+1, s)
		}
	}
}

func sum(all []poolrt.Leak) (bytes int64) {
	for _, l := range all {
		bytes += l.Bytes
	}
	return bytes
}

func has(all []poolrt.Leak, count int64, since time.Time) bool {
	for _, l := range all {
		if l.Count == count && l.Since.Equal(since) {
			return true
		}
	}
	return false
}
