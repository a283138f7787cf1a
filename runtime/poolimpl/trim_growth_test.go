package poolimpl

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// growing returns a pool that keeps empty chunks until it would reserve more than its peak.
func growing(t *testing.T, keep int64) *rig {
	p := newRig(t, func(c *Config) { c.Oversize, c.Trim = true, &TrimPolicy{Keep: keep, Growth: true} })
	p.core.emptied = false // frees do not report empty chunks
	return p
}

// takeAll allocates blocks, each of which gets a chunk of its own.
func takeAll(t *testing.T, p *rig, sizes ...uint64) (live []block) {
	t.Helper()
	for _, n := range sizes {
		b, err := p.alloc(n)
		fatal.If(t, err)
		live = append(live, b)
	}
	return live
}

func freeAll(t *testing.T, p *rig, live []block) {
	t.Helper()
	for _, b := range live {
		fatal.If(t, p.free(b))
	}
}

func TestTrimBeforeGrowth(t *testing.T) {
	for _, test := range []struct {
		name     string
		keep     int64
		slack    int64    // bytes that the pool held before, beyond what it holds
		free     []uint64 // chunks that are empty; one of 1,000 bytes is in use
		ask      uint64
		reserved int64 // afterwards
		returned int   // chunks
	}{
		{"the smallest that is large enough", 0, 450, []uint64{300, 200, 500}, 600, 1000 + 300 + 500 + 600, 1},
		{"none is large enough: the largest, and the smallest for the rest", 0, 0, []uint64{200, 300, 400}, 600, 1000 + 300 + 600, 2},
		{"all, if they do not come to as much", 0, 0, []uint64{200, 300}, 2000, 1000 + 2000, 2},
		{"a chunk that fits is used", 0, 0, []uint64{200, 500}, 500, 1700, 0},
		{"what is to be kept stays", 1550, 0, []uint64{200, 500}, 600, 1000 + 500 + 600, 1},
	} {
		p := growing(t, test.keep)
		used := takeAll(t, p, 1000)
		empty := takeAll(t, p, test.free...)
		freeAll(t, p, empty)
		if p.source.frees != 0 {
			t.Errorf("%s: a free released chunks", test.name)
		}
		p.figures.peakReserved += test.slack
		live := takeAll(t, p, test.ask)
		if s := p.Stats(); s.Reserved != test.reserved || p.source.frees != test.returned {
			t.Errorf("%s: %d bytes reserved, %d chunks released; want %d and %d", test.name, s.Reserved, p.source.frees, test.reserved, test.returned)
		}
		freeAll(t, p, slices.Concat(used, live))
	}
}

// Each empty chunk is checked only a few times, however many there are.
func TestTrimBeforeGrowthLooksAtEachOnce(t *testing.T) {
	const chunks = 300
	p := growing(t, 0)
	freeAll(t, p, takeAll(t, p, slices.Repeat([]uint64{100}, chunks)...))
	looks := 0
	p.core.onUsed = func() { looks++ }
	n := int64(100*chunks + 1)
	due := p.memory.collect(order{fit: n}, p.memory.atLeast(n))
	p.core.onUsed = nil
	if len(due) != chunks || looks > 2*chunks {
		t.Errorf("%d chunks are due after %d checks, want %d", len(due), looks, chunks)
	}
}

// Below its peak the pool grows without releasing chunks.
func TestNoTrimBelowThePeak(t *testing.T) {
	p := growing(t, 0)
	freeAll(t, p, takeAll(t, p, 1000, 300))
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	frees := p.source.frees
	live := takeAll(t, p, 400)
	freeAll(t, p, live)
	live = takeAll(t, p, 500) // 900 of 1,300
	if p.source.frees != frees {
		t.Error("chunks were released")
	}
	freeAll(t, p, live)
}

// A pool does not release a part of its initial memory while it reserves the rest.
func TestNoTrimWhilePriming(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Prime, c.Trim = 300, &TrimPolicy{Growth: true} })
	fatal.If(t, p.ready().Open())
	if s := p.Stats(); s.Reserved != 300 || p.source.frees != 0 {
		t.Errorf("%d bytes reserved, %d chunks released", s.Reserved, p.source.frees)
	}
}

// A pool can grow even if the source fails to free its chunks.
func TestTrimBeforeGrowthRefused(t *testing.T) {
	p := growing(t, 0)
	freeAll(t, p, takeAll(t, p, 300))
	p.source.onFree = func(int) error { return errNoMemory }
	live := takeAll(t, p, 400)
	if s := p.Stats(); s.Reserved != 700 {
		t.Errorf("%d bytes reserved", s.Reserved)
	}
	p.source.onFree = nil
	freeAll(t, p, live)
}

// If others free blocks while the source fails to free a chunk, the pool searches again before it grows.
func TestTrimBeforeGrowthLooksAgain(t *testing.T) {
	p := growing(t, 0)
	live := takeAll(t, p, 1000)
	freeAll(t, p, takeAll(t, p, 300))
	p.source.onFree = func(int) error {
		freeAll(t, p, live)
		return errNoMemory
	}
	live = takeAll(t, p, 900)
	if s := p.Stats(); s.Reserved != 1300 {
		t.Errorf("%d bytes reserved, although a block was freed", s.Reserved)
	}
	p.source.onFree = nil
	freeAll(t, p, live)
}

// Only one caller grows the pool at a time, even if another started to while the source failed to free a chunk.
func TestTrimBeforeGrowthLeavesOneGrower(t *testing.T) {
	p := growing(t, 0)
	freeAll(t, p, takeAll(t, p, 300))
	var all sync.WaitGroup
	var callers atomic.Int32
	began, end := make(chan bool), make(chan bool)
	p.source.onAlloc = func(int) error {
		if callers.Add(1) > 1 {
			t.Error("two callers grow the pool at once")
		}
		if began != nil {
			close(began)
			began = nil
			<-end
		}
		callers.Add(-1)
		return nil
	}
	var other []block
	p.source.onFree = func(int) error {
		p.source.onFree = func(int) error { return errNoMemory }
		meanwhile := began
		all.Go(func() { other = takeAll(t, p, 700) })
		<-meanwhile
		time.AfterFunc(10*time.Millisecond, func() { close(end) })
		return errNoMemory
	}
	live := takeAll(t, p, 800)
	all.Wait()
	p.source.onAlloc, p.source.onFree = nil, nil
	freeAll(t, p, slices.Concat(live, other))
}

// A pool is steady when growth has asked again for what it gave back, patience times in a row, and until it has asked for other sizes some times in a row. The
// patience is twice as long then.
func TestThrash(t *testing.T) {
	var s thrash
	for n := leastPatience; n <= 4*leastPatience; n *= 2 {
		for k := range n + strangers {
			s.gave([]surplus{{Extent: Extent{Size: 100}}})
			if again := s.asksAgain(100); again != (k >= n-1) {
				t.Fatalf("after %d growths of %d the pool is steady: %v", k+1, n, again)
			}
			if k >= n && s.asksAgain(7) || k < n && len(s.given) > 0 {
				t.Fatal("a size that was not given back, or one that was asked for already")
			}
		}
		for range strangers {
			s.asksAgain(7)
		}
	}
	s.gave(make([]surplus, 2*mostGiven))
	if len(s.given) != mostGiven {
		t.Errorf("%d sizes are kept", len(s.given))
	}
}
