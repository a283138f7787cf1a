package poolimpl

import (
	"errors"
	"math"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func numberRig(t testing.TB, change func(*Config)) *rig {
	return newRig(t, func(c *Config) {
		c.Source, c.Allocator, c.ChunkSize, c.Granularity, c.Alignment = nil, "none", poolrt.NoLimit, 0, 0
		if change != nil {
			change(c)
		}
	})
}

// TestTrack checks which ranges Track accepts, next to [100, 200) and the three highest numbers.
func TestTrack(t *testing.T) {
	const top = math.MaxUint64
	tests := []struct {
		first, n uint64
		want     error
	}{
		{0, 100, nil},
		{0, 101, poolrt.ErrBadSize},
		{199, 1, poolrt.ErrBadSize},
		{200, 1, nil},
		{99, 1, nil},
		{100, 100, poolrt.ErrBadSize},
		{50, 200, poolrt.ErrBadSize},
		{120, 10, poolrt.ErrBadSize},
		{0, 0, poolrt.ErrBadSize},
		{5, top, poolrt.ErrBadSize},
		{0, 1 << 63, poolrt.ErrBadSize},
		{300, 1<<63 - 1, poolrt.ErrLimit},
		{top - 2, 1, poolrt.ErrBadSize},
		{top, 1, poolrt.ErrBadSize},
		{top, 2, poolrt.ErrBadSize},
		{top - 3, 1, nil},
		{top - 13, 11, nil},
		{top - 13, 12, poolrt.ErrBadSize},
		{top - 1, 3, poolrt.ErrBadSize},
	}
	for _, test := range tests {
		p := numberRig(t, func(c *Config) { c.Limit = 1 << 40 })
		wantErr(t, "track", p.ready().Track(100, 100), nil)
		wantErr(t, "track", p.Track(top-2, 3), nil)
		err := p.Track(test.first, test.n)
		if !errors.Is(err, test.want) {
			t.Errorf("Track(%d, %d): %v, want %v", test.first, test.n, err, test.want)
		}
		want := int64(103)
		if test.want == nil {
			want += int64(test.n)
			wantErr(t, "untrack", p.Untrack(test.first, test.n), nil)
		}
		if s := p.Stats(); s.PeakReserved != want || s.Reserved != 103 {
			t.Errorf("Track(%d, %d): peak %d, want %d; left %d", test.first, test.n, s.PeakReserved, want, s.Reserved)
		}
	}
}

func TestUntrack(t *testing.T) {
	p := numberRig(t, nil)
	wantErr(t, "untrack nothing", p.ready().Untrack(0, 10), poolrt.ErrForeign)
	wantErr(t, "track", p.Track(10, 10), nil)
	wantErr(t, "touching", p.Track(20, 10), nil)
	for _, r := range [][2]uint64{{10, 9}, {10, 11}, {11, 9}, {10, 20}, {20, 0}, {0, 10}} {
		wantErr(t, "other range", p.Untrack(r[0], r[1]), poolrt.ErrForeign)
	}
	b := p.mustAlloc(10)
	wantErr(t, "in use", p.Untrack(b.addr, 10), poolrt.ErrLive)
	p.mustFree(b)
	wantErr(t, "untrack", p.Untrack(10, 10), nil)
	wantErr(t, "twice", p.Untrack(10, 10), poolrt.ErrForeign)
	wantErr(t, "the neighbour", p.Untrack(20, 10), nil)
}

// TestTrackLimits: numbers count against the limit and the budget until the pool is closed.
func TestTrackLimits(t *testing.T) {
	b := NewBudget("B", 150)
	p := numberRig(t, func(c *Config) { c.Limit, c.MaxChunk, c.Budget = 100, 60, b })
	wantErr(t, "larger than a range may be", p.ready().Track(0, 61), poolrt.ErrTooLarge)
	wantErr(t, "track", p.Track(0, 60), nil)
	wantErr(t, "over the limit", p.Track(60, 41), poolrt.ErrLimit)
	err := p.SetLimit(59)
	wantErr(t, "set limit below", err, poolrt.ErrLive)
	if !strings.Contains(err.Error(), "59: 60 numbers are tracked, and only Untrack takes some away") {
		t.Error(err)
	}
	wantErr(t, "set limit", p.SetLimit(90), nil)
	wantErr(t, "over the new limit", p.Track(60, 31), poolrt.ErrLimit)
	wantErr(t, "up to it", p.Track(60, 30), nil)
	q := numberRig(t, func(c *Config) { c.Budget = b })
	wantErr(t, "over the budget", q.ready().Track(0, 61), poolrt.ErrLimit)
	wantErr(t, "up to it", q.Track(0, 60), nil)
	wantErr(t, "close", p.close(), nil)
	wantErr(t, "close", q.close(), nil)
	if b.Reserved() != 0 {
		t.Errorf("budget has %d", b.Reserved())
	}
}

// TestNumbersLifecycle: numbers belong to the caller. Trim does not release them, and every call after Close returns.
func TestNumbersLifecycle(t *testing.T) {
	p := numberRig(t, nil)
	_, err := p.alloc(1)
	wantErr(t, "nothing tracked", err, poolrt.ErrLimit)
	wantErr(t, "track", p.Track(7, 3), nil)
	if n, err := p.Trim(0); n != 0 || err != nil {
		t.Errorf("trim: %d, %v", n, err)
	}
	b := p.mustAlloc(1)
	if b.addr != 7 {
		t.Errorf("got %d", b.addr)
	}
	err = p.free(block{8, 1})
	wantErr(t, "free", err, poolrt.ErrForeign)
	if want := "poolgen: test.Pool: free: not a block of this pool: number 8 " +
		"(live 1, reserved 3, limit none, largest free range 0)"; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	err = p.Track(9, 5)
	if want := "poolgen: test.Pool: track of 5 numbers: bad size: overlaps the numbers 7 to 9 " +
		"(live 1, reserved 3, limit none, largest free range 0)"; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	wantErr(t, "close", p.close(), poolrt.ErrLive)
	p.mustFree(b)
	wantErr(t, "close", p.close(), nil)
	wantErr(t, "track", p.Track(100, 1), poolrt.ErrClosed)
	wantErr(t, "untrack", p.Untrack(7, 3), poolrt.ErrClosed)
	if s := p.Stats(); s.Reserved != 0 || s.Chunks != 0 {
		t.Errorf("%+v", s)
	}
}

// TestTrackServesWaiter: new numbers serve waiters.
func TestTrackServesWaiter(t *testing.T) {
	p := numberRig(t, func(c *Config) { c.Ladder = []Rung{WaitRung{}} })
	done := make(chan uint64)
	go func() { done <- p.mustAlloc(1).addr }()
	for !waiting(p) {
	}
	wantErr(t, "track", p.Track(5, 1), nil)
	if n := <-done; n != 5 {
		t.Errorf("got %d", n)
	}
}

func waiting(p *rig) bool {
	p.Lock()
	defer p.Unlock()
	return p.HasWaiters()
}
