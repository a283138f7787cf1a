package poolimpl

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestChunkSizes checks the sizes of the chunks that a series of requests adds.
func TestChunkSizes(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		allocs []uint64
		errs   []error // nil: all succeed
		want   []int64
	}{
		{"fixed", nil, []uint64{60, 60, 60}, nil, []int64{100, 100, 100}},
		{"exactly a chunk", nil, []uint64{100, 100}, nil, []int64{100, 100}},
		{"last chunk smaller", func(c *Config) { c.Limit = 250 }, []uint64{60, 60, 50, 1},
			[]error{nil, nil, nil, nil}, []int64{100, 100, 50}},
		{"at the limit", func(c *Config) { c.Limit = 200 }, []uint64{60, 60, 60}, []error{nil, nil, poolrt.ErrLimit}, []int64{100, 100}},
		{"rest too small", func(c *Config) { c.Limit = 250 }, []uint64{60, 60, 60}, []error{nil, nil, poolrt.ErrLimit}, []int64{100, 100}},
		{"rest below the granularity", func(c *Config) { c.Limit, c.Granularity = 250, 20 }, []uint64{100, 100, 50, 40},
			[]error{nil, nil, poolrt.ErrLimit, nil}, []int64{100, 100, 40}},
		{"chunk in whole units", func(c *Config) { c.Granularity = 64 }, []uint64{1, 128}, nil, []int64{128, 128}},
		{"no oversize", nil, []uint64{101}, []error{poolrt.ErrTooLarge}, nil},
		{"oversize", func(c *Config) { c.Oversize, c.Granularity = true, 10 }, []uint64{201, 10}, nil, []int64{210, 100}},
		{"oversize at the limit", func(c *Config) { c.Oversize, c.Limit = true, 300 }, []uint64{300}, nil, []int64{300}},
		{"oversize above the limit", func(c *Config) { c.Oversize, c.Limit = true, 300 }, []uint64{301}, []error{poolrt.ErrTooLarge}, nil},
		{"oversize above it in whole units", func(c *Config) { c.Oversize, c.Limit, c.Granularity = true, 305, 10 },
			[]uint64{301, 300}, []error{poolrt.ErrTooLarge, nil}, []int64{300}},
		{"oversize does not fit now", func(c *Config) { c.Oversize, c.Limit = true, 300 }, []uint64{1, 250},
			[]error{nil, poolrt.ErrLimit}, []int64{100}},
		{"exact", func(c *Config) { c.Direct, c.Oversize, c.Granularity = true, true, 8 }, []uint64{1, 17, 500}, nil, []int64{8, 24, 504}},
		{"double", func(c *Config) { c.Double = true }, []uint64{100, 100, 100, 100, 100}, nil, []int64{100, 200, 400}},
		{"double up to the limit", func(c *Config) { c.Double, c.Limit = true, 600 }, []uint64{100, 200, 200, 100},
			[]error{nil, poolrt.ErrTooLarge, poolrt.ErrTooLarge, nil}, []int64{100, 200}},
		{"double, last smaller", func(c *Config) { c.Double, c.Limit = true, 450 }, []uint64{100, 100, 100, 100, 50, 1},
			[]error{nil, nil, nil, nil, nil, poolrt.ErrLimit}, []int64{100, 200, 150}},
		{"double, oversize between", func(c *Config) { c.Double, c.Oversize = true, true }, []uint64{100, 1000, 200, 400}, nil,
			[]int64{100, 1000, 200, 400}},
		{"double, largest chunk", func(c *Config) { c.Double, c.MaxChunk = true, 250 }, []uint64{100, 100, 100, 100, 100, 100, 100}, nil,
			[]int64{100, 200, 250, 250}},
		{"largest chunk", func(c *Config) { c.Oversize, c.MaxChunk = true, 120 }, []uint64{120, 121}, []error{nil, poolrt.ErrTooLarge}, []int64{120}},
		{"largest chunk below the usual", func(c *Config) { c.MaxChunk = 50 }, []uint64{50, 51}, []error{nil, poolrt.ErrTooLarge}, []int64{50}},
		{"one piece", func(c *Config) { c.SingleChunk, c.Limit = true, 150 }, []uint64{100, 1}, []error{nil, poolrt.ErrLimit}, []int64{100}},
		{"no room at all", func(c *Config) { c.Limit = 0 }, []uint64{1}, []error{poolrt.ErrTooLarge}, nil},
		{"beyond an int64", func(c *Config) { c.Oversize = true }, []uint64{1 << 63, 1<<63 - 1, ^uint64(0)},
			[]error{poolrt.ErrTooLarge, poolrt.ErrTooLarge, poolrt.ErrTooLarge}, nil},
		{"beyond it in whole units", func(c *Config) { c.Oversize, c.Granularity = true, 4096 }, []uint64{1<<63 - 4096, 0},
			[]error{poolrt.ErrTooLarge, poolrt.ErrTooLarge}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newRig(t, test.change)
			for i, n := range test.allocs {
				var want error
				if i < len(test.errs) {
					want = test.errs[i]
				}
				_, err := p.alloc(n)
				wantErr(t, "alloc", err, want)
			}
			if !slices.Equal(p.source.sizes, test.want) {
				t.Errorf("chunks %v, want %v", p.source.sizes, test.want)
			}
		})
	}
}

// TestDoubleStartsAgain: a pool that has released all of its chunks starts again with the usual chunk size.
func TestDoubleStartsAgain(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Double = true })
	for range 3 {
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		p.mustFree(a, b)
		if _, err := p.Trim(0); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{100, 200, 100, 200, 100, 200}; !slices.Equal(p.source.sizes, want) {
		t.Errorf("chunks %v, want %v", p.source.sizes, want)
	}
}

// TestDoubleKeepsPace: a load that repeatedly grows and shrinks does not make the chunks larger each time.
func TestDoubleKeepsPace(t *testing.T) {
	for _, trim := range []*TrimPolicy{nil, {Keep: 100}} {
		p := newRig(t, func(c *Config) { c.Double, c.Trim = true, trim })
		stays := p.mustAlloc(100)
		for round := range 50 {
			var live []block
			for range 6 {
				live = append(live, p.mustAlloc(100))
			}
			if s := p.Stats(); s.Reserved != 700 {
				t.Fatalf("round %d: reserved %d", round, s.Reserved)
			}
			for _, b := range live {
				p.mustFree(b)
			}
			_, err := p.Trim(100)
			wantErr(t, "trim", err, nil)
		}
		p.mustFree(stays)
	}
}

// TestSetLimit checks which limits are accepted, and how much is released for them.
func TestSetLimit(t *testing.T) {
	tests := []struct {
		name     string
		to       int64
		want     error
		reserved int64
		limit    int64
	}{
		{"same", 500, nil, 300, 500},
		{"above", 501, nil, 300, 501},
		{"the largest", 600, nil, 300, 600},
		{"above the largest", 601, poolrt.ErrBadSize, 300, 500},
		{"negative", -1, poolrt.ErrBadSize, 300, 500},
		{"above what is there", 350, nil, 300, 350},
		{"releases empty chunks", 150, nil, 100, 150},
		{"exactly what is live", 100, nil, 100, 100},
		{"below what is live", 99, poolrt.ErrLive, 300, 500},
		{"nothing", 0, poolrt.ErrLive, 300, 500},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Limit, c.MaxLimit = 500, 600 })
			p.mustAlloc(60)
			p.mustFree(p.mustAlloc(90))
			a, b := p.mustAlloc(100), p.mustAlloc(100)
			p.mustFree(a, b)
			wantErr(t, "SetLimit", p.SetLimit(test.to), test.want)
			s := p.Stats()
			if s.Reserved != test.reserved || s.Limit != test.limit {
				t.Errorf("reserved %d, limit %d; want %d, %d", s.Reserved, s.Limit, test.reserved, test.limit)
			}
		})
	}
}

// TestSetLimitWhileBlocksAreTaken: in a shared core, a chunk that was counted as empty may have a block by the time it is to be released.
func TestSetLimitWhileBlocksAreTaken(t *testing.T) {
	p := newRig(t, nil)
	p.mustFree(p.mustAlloc(100), p.mustAlloc(100))
	looks := 0
	p.core.onUsed = func() {
		if looks++; looks == 3 { // each chunk was checked once
			p.core.onUsed = nil
			p.core.Alloc(100, 1)
			p.core.Alloc(100, 1)
		}
	}
	wantErr(t, "SetLimit", p.SetLimit(150), poolrt.ErrLive)
	if s := p.Stats(); s.Limit != poolrt.NoLimit || s.Reserved != 200 {
		t.Errorf("limit %d, reserved %d", s.Limit, s.Reserved)
	}
	p.core.Free(p.core.chunks[0].base, 100)
	p.core.Free(p.core.chunks[1].base, 100)
}

// TestSetLimitUnopened: SetLimit may come before Open, whose option then counts.
func TestSetLimitUnopened(t *testing.T) {
	p := newRig(t, nil)
	wantErr(t, "SetLimit", p.ready().SetLimit(200), nil)
	wantErr(t, "Open", p.Open(poolrt.WithLimit(-1)), poolrt.ErrBadSize)
	if s := p.Stats(); s.Limit != 200 {
		t.Errorf("limit %d after an Open that failed", s.Limit)
	}
	wantErr(t, "Open", p.Open(poolrt.WithLimit(150)), nil)
	p.mustAlloc(100)
	_, err := p.alloc(100)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
}

// TestRaisedLimitWakes: those who wait at the limit are served once the limit is raised, in order of arrival.
func TestRaisedLimitWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) {
			c.Limit, c.MaxLimit, c.WaitTimeout, c.Ladder = 100, 300, time.Hour, []Rung{WaitRung{}, ErrorRung{}}
		})
		p.mustAlloc(100)
		served := make([]bool, 3)
		for i := range served {
			spawn(func() { served[i] = p.mustAlloc(100).bytes > 0 })
		}
		for n, limit := range []int64{150, 200, 300} {
			wantErr(t, "SetLimit", p.SetLimit(limit), nil)
			synctest.Wait()
			if want := []bool{n > 0, n > 1, false}; !slices.Equal(served, want) {
				t.Errorf("limit %d: served %v, want %v", limit, served, want)
			}
		}
		p.mustFree(block{1 << 20, 100})
		synctest.Wait()
		if !served[2] {
			t.Error("the last was not served")
		}
	})
}

// TestRaiseDuringLower: a raise that comes while another caller lowers the limit waits for it, and counts.
func TestRaiseDuringLower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.MaxLimit = 400, 500 })
		a, b := p.mustAlloc(100), p.mustAlloc(100)
		p.mustFree(a, b)
		gate := make(chan struct{})
		p.source.onFree = func(int) error { <-gate; return nil }
		var lowered, raised error
		done := false
		spawn(func() { lowered = p.SetLimit(100) })
		spawn(func() { raised = p.SetLimit(500); done = true })
		if s := p.Stats(); done || s.Limit != 400 {
			t.Errorf("limit %d before the chunks are back; the raise has returned: %v", s.Limit, done)
		}
		close(gate)
		synctest.Wait()
		wantErr(t, "lower", lowered, nil)
		wantErr(t, "raise", raised, nil)
		if s := p.Stats(); s.Limit != 500 || s.Reserved != 100 {
			t.Errorf("limit %d, reserved %d", s.Limit, s.Reserved)
		}
	})
}

// TestLoweredAndRestored: a limit that was lowered, even to nothing, and restored leaves no trace: neither in a pool of one chunk, which a lower limit cuts short.
func TestLoweredAndRestored(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"chunks":    func(c *Config) {},
		"one chunk": func(c *Config) { c.ChunkSize, c.SingleChunk = 300, true },
		"double":    func(c *Config) { c.Double = true },
		"oversize":  func(c *Config) { c.Oversize = true },
	} {
		t.Run(name, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Limit = 300; change(c) })
			for _, low := range []int64{200, 0, 100, 50} {
				wantErr(t, "lower", p.ready().SetLimit(low), nil)
				if low >= 50 {
					p.mustFree(p.mustAlloc(50))
				}
				wantErr(t, "restore", p.SetLimit(300), nil)
				var live []block
				for range 6 {
					live = append(live, p.mustAlloc(50))
				}
				_, err := p.alloc(50)
				wantErr(t, "beyond the limit", err, poolrt.ErrLimit)
				p.mustFree(live...)
			}
		})
	}
}

// TestSetLimitKeepsLimitWhenSourceFails: if the source fails to free a chunk, the limit does not change.
func TestSetLimitKeepsLimitWhenSourceFails(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit = 500 })
	a, b := p.mustAlloc(100), p.mustAlloc(100)
	p.mustFree(a, b)
	p.source.onFree = func(int) error { return errNoMemory }
	err := p.SetLimit(100)
	wantErr(t, "SetLimit", err, poolrt.ErrNotReturned)
	wantErr(t, "SetLimit", err, errNoMemory)
	if s := p.Stats(); s.Limit != 500 || s.Reserved != 200 {
		t.Errorf("limit %d, reserved %d", s.Limit, s.Reserved)
	}
	p.source.onFree = nil
	wantErr(t, "SetLimit", p.SetLimit(100), nil)
}

// TestSoftLimit: each rise of the reserved bytes above the soft limit is counted, but not for a chunk that the source failed to allocate.
func TestSoftLimit(t *testing.T) {
	p := newRig(t, func(c *Config) { c.SoftLimit, c.Limit = 150, 400 })
	steps := []struct {
		allocs, crossings int64
	}{{1, 0}, {2, 1}, {3, 1}}
	var live []block
	for range 2 {
		base := p.ready().Stats().SoftCrossings
		for _, s := range steps {
			live = append(live, p.mustAlloc(100))
			if got := p.Stats().SoftCrossings - base; got != s.crossings {
				t.Errorf("after %d chunks: %d crossings, want %d", s.allocs, got, s.crossings)
			}
		}
		p.mustFree(live...)
		live = nil
		if _, err := p.Trim(0); err != nil {
			t.Fatal(err)
		}
	}
	p.source.onAlloc = func(call int) error {
		if call > 7 {
			return errNoMemory
		}
		return nil
	}
	before := p.Stats().SoftCrossings
	p.mustAlloc(100)
	_, err := p.alloc(100)
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	if s := p.Stats(); s.SoftCrossings != before || s.Reserved != 100 {
		t.Errorf("a chunk that was not allocated was counted: %d crossings, %d reserved", s.SoftCrossings-before, s.Reserved)
	}
}

// TestSoftLimitIsExact: reserving exactly the soft limit does not cross it; one byte more does.
func TestSoftLimitIsExact(t *testing.T) {
	p := newRig(t, func(c *Config) { c.SoftLimit, c.Oversize = 100, true })
	p.mustAlloc(100)
	if n := p.ready().Stats().SoftCrossings; n != 0 {
		t.Errorf("%d crossings at the soft limit", n)
	}
	p.mustAlloc(1)
	if n := p.ready().Stats().SoftCrossings; n != 1 {
		t.Errorf("%d crossings above it", n)
	}
	q := newRig(t, func(c *Config) { c.SoftLimit = 99 })
	q.mustAlloc(1)
	if n := q.ready().Stats().SoftCrossings; n != 1 {
		t.Errorf("%d crossings by a single byte", n)
	}
}
