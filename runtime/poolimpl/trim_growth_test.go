package poolimpl

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// growing makes a pool that keeps empty chunks until it would hold more than ever.
func growing(t *testing.T, keep int64) *rig {
	p := newRig(t, func(c *Config) { c.Oversize, c.Trim = true, &TrimPolicy{Keep: keep, Growth: true} })
	p.core.emptied = false // no free has to notice
	return p
}

// takeAll allocates blocks that get a chunk of their own each.
func takeAll(t *testing.T, p *rig, sizes ...uint64) (live []block) {
	t.Helper()
	for _, n := range sizes {
		b, err := p.alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, b)
	}
	return live
}

func freeAll(t *testing.T, p *rig, live []block) {
	t.Helper()
	for _, b := range live {
		if err := p.free(b); err != nil {
			t.Fatal(err)
		}
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
			t.Errorf("%s: a free gave chunks back", test.name)
		}
		p.figures.peakReserved += test.slack
		live := takeAll(t, p, test.ask)
		if s := p.Stats(); s.Reserved != test.reserved || p.source.frees != test.returned {
			t.Errorf("%s: %d bytes reserved, %d chunks back; want %d and %d", test.name, s.Reserved, p.source.frees, test.reserved, test.returned)
		}
		freeAll(t, p, slices.Concat(used, live))
	}
}

// However many chunks make up the bytes, each is looked at a few times.
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
		t.Errorf("%d chunks are due after %d looks, want %d", len(due), looks, chunks)
	}
}

// Below its peak the pool grows without giving anything back.
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
		t.Error("chunks went back")
	}
	freeAll(t, p, live)
}

// What the pool starts with is not given back while it is being reserved.
func TestNoTrimWhilePriming(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Prime, c.Trim = 300, &TrimPolicy{Growth: true} })
	if err := p.ready().Open(); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Reserved != 300 || p.source.frees != 0 {
		t.Errorf("%d bytes reserved, %d chunks back", s.Reserved, p.source.frees)
	}
}

// What the source does not take back does not keep the pool from growing.
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

// While the source refuses a chunk, others free blocks: the pool looks again before it asks for more.
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
		t.Errorf("%d bytes reserved, though a block came free", s.Reserved)
	}
	p.source.onFree = nil
	freeAll(t, p, live)
}

// Only one caller asks the source for memory at a time, also when another began to while the source refused a chunk.
func TestTrimBeforeGrowthLeavesOneGrower(t *testing.T) {
	p := growing(t, 0)
	freeAll(t, p, takeAll(t, p, 300))
	var all sync.WaitGroup
	var callers atomic.Int32
	began, end := make(chan bool), make(chan bool)
	p.source.onAlloc = func(int) error {
		if callers.Add(1) > 1 {
			t.Error("two callers ask at once")
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
