package poolimpl

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// TestRefusedSettings: an option that the pool cannot follow is refused with the reason, and changes nothing.
func TestRefusedSettings(t *testing.T) {
	const none = 0
	direct := func(c *Config) { c.Direct, c.Oversize = true, true }
	fixed := func(c *Config) { c.Suballocator, c.MaxLimit = "fixed", poolrt.NoLimit }
	tests := []struct {
		name   string
		change func(*Config)
		option poolrt.Option
		want   error
		text   string
	}{
		{"limit", nil, poolrt.WithLimit(-1), poolrt.ErrBadSize, "WithLimit: -1: a limit is not negative"},
		{"limit", nil, poolrt.WithLimit(501), poolrt.ErrBadSize, "WithLimit: 501: the pool file has limit 500, and no max_limit above it"},
		{"limit", func(c *Config) { c.MaxLimit = 600 }, poolrt.WithLimit(601), poolrt.ErrBadSize, "WithLimit: 601: the pool file has max_limit 600"},
		{"chunk", nil, poolrt.WithChunkSize(99), poolrt.ErrBadSize, "WithChunkSize: 99 is below 100, the chunk_size that the code was generated for"},
		{"chunk", nil, poolrt.WithChunkSize(-1), poolrt.ErrBadSize, "is below 100"},
		{"chunk", nil, poolrt.WithChunkSize(501), poolrt.ErrBadSize, "501 is above 500, the largest limit that may be set"},
		{"chunk", func(c *Config) { c.Budget = NewBudget("B", 300) }, poolrt.WithChunkSize(301), poolrt.ErrBadSize, "301 is above 300, the limit of its budget"},
		{"chunk", func(c *Config) { c.MaxChunk = 200 }, poolrt.WithChunkSize(201), poolrt.ErrBadSize, "201 is above 200, the largest chunk that the suballocator manages"},
		{"chunk", fixed, poolrt.WithChunkSize(1<<32 - 2), poolrt.ErrBadSize, "4294967294 is above 4294967293, where a chunk has more blocks than 32 bits can number"},
		{"chunk", func(c *Config) { c.Limit = poolrt.NoLimit }, poolrt.WithChunkSize(poolrt.NoLimit), poolrt.ErrBadSize, "more than processors can address"},
		{"chunk", direct, poolrt.WithChunkSize(200), poolrt.ErrUnsupported, "suballocator none"},
		{"chunk", func(c *Config) { c.Source = nil }, poolrt.WithChunkSize(200), poolrt.ErrUnsupported, "the pool hands out numbers"},
		{"prime", nil, poolrt.WithPrime(-1), poolrt.ErrBadSize, "WithPrime: -1: bytes to be reserved are not negative"},
		{"prime", direct, poolrt.WithPrime(1), poolrt.ErrUnsupported, "WithPrime: suballocator none"},
		{"trim", nil, poolrt.WithTrim(&poolrt.TrimPolicy{Keep: -1}), poolrt.ErrBadSize, "WithTrim: Keep -1"},
		{"trim", nil, poolrt.WithTrim(&poolrt.TrimPolicy{Idle: -1}), poolrt.ErrBadSize, "neither is negative"},
		{"trim", nil, poolrt.WithTrim(&poolrt.TrimPolicy{Keep: 501}), poolrt.ErrBadSize, "Keep 501 is above the largest limit that may be set, 500"},
		{"trim", nil, poolrt.WithTrim(&poolrt.TrimPolicy{Growth: true, Idle: 1}), poolrt.ErrUnsupported, "leave out one of Growth and Idle"},
		{"trim", nil, poolrt.WithTrim(&poolrt.TrimPolicy{Idle: 1}), poolrt.ErrUnsupported, "Idle needs a pool file with trim"},
		{"trim", func(c *Config) { c.Trim = &TrimPolicy{Growth: true} }, poolrt.WithTrim(&poolrt.TrimPolicy{Idle: 1}), poolrt.ErrUnsupported, "not with when: growth"},
		{"trim", func(c *Config) { c.Magazines = true }, poolrt.WithTrim(&poolrt.TrimPolicy{}), poolrt.ErrUnsupported, "the pool file has a magazine"},
		{"trim", direct, poolrt.WithTrim(&poolrt.TrimPolicy{}), poolrt.ErrUnsupported, "suballocator none"},
		{"allocator", nil, poolrt.WithAllocator("pinned"), poolrt.ErrUnsupported, `WithAllocator: "pinned": the pool file has allocator host`},
		{"device", nil, poolrt.OnDevice(none), poolrt.ErrUnsupported, "is on no device"},
	}
	for _, test := range tests {
		p := newRig(t, func(c *Config) {
			c.Limit = 500
			if test.change != nil {
				test.change(c)
			}
		})
		if test.change != nil && p.config.Source == nil {
			p.source = nil
		}
		e := p.ready()
		before := e.settings()
		err := e.Open(test.option)
		wantErr(t, test.name, err, test.want)
		if !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: got %v, want %q in it", test.name, err, test.text)
		}
		if e.settings() != before || e.life.opened {
			t.Errorf("%s: %+v, before %+v", test.name, e.settings(), before)
		}
		wantErr(t, "open without it", e.Open(), nil)
	}
}

// TestHarmlessSettings: an option that says what is so anyway is not refused, whatever the pool.
func TestHarmlessSettings(t *testing.T) {
	for _, change := range []func(*Config){
		nil,
		func(c *Config) { c.Direct, c.Oversize = true, true },
		func(c *Config) { c.Magazines = true },
	} {
		p := newRig(t, change)
		wantErr(t, "open", p.ready().Open(poolrt.WithChunkSize(100), poolrt.WithPrime(0), poolrt.WithTrim(nil), poolrt.WithLimit(poolrt.NoLimit), poolrt.WithAllocator("host")), nil)
	}
}

// TestWithChunkSize: chunks have the size of the option, in whole units of the source, and requests may be as large.
func TestWithChunkSize(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		allocs []uint64
		want   []int64
	}{
		{nil, []uint64{250, 1, 250}, []int64{250, 250, 250}},
		{func(c *Config) { c.Granularity = 100 }, []uint64{250, 300, 1}, []int64{300, 300}},
		{func(c *Config) { c.Double = true }, []uint64{250, 250, 250, 250}, []int64{250, 500, 1000}},
		{func(c *Config) { c.Limit = 600 }, []uint64{250, 250, 100}, []int64{250, 250, 100}},
	} {
		p := newRig(t, test.change)
		wantErr(t, "open", p.ready().Open(poolrt.WithChunkSize(250)), nil)
		if n := p.Info().ChunkSize; n != test.want[0] {
			t.Errorf("Info has chunks of %d, want %d", n, test.want[0])
		}
		for _, n := range test.allocs {
			p.mustAlloc(n)
		}
		if !slices.Equal(p.source.sizes, test.want) {
			t.Errorf("chunks %v, want %v", p.source.sizes, test.want)
		}
		_, err := p.alloc(uint64(test.want[len(test.want)-1]) + 1000)
		wantErr(t, "beyond the chunk", err, poolrt.ErrTooLarge)
	}
}

// TestWithPrime: the pool begins with as many bytes, or does not open and is as before.
func TestWithPrime(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Limit, c.Prime = 500, 100 })
	wantErr(t, "beyond the limit", p.ready().Open(poolrt.WithPrime(501)), poolrt.ErrLimit)
	if n := p.source.calls(); n > 0 {
		t.Errorf("%d calls of the source for what the limit cannot hold", n)
	}
	p.source.onAlloc = func(call int) error {
		if call == 3 {
			return errNoMemory
		}
		return nil
	}
	err := p.Open(poolrt.WithPrime(300))
	wantErr(t, "source fails", err, errNoMemory)
	wantErr(t, "source fails", err, poolrt.ErrOutOfMemory)
	if s := p.Stats(); s.Reserved != 0 {
		t.Errorf("reserved %d", s.Reserved)
	}
	wantErr(t, "open", p.Open(poolrt.WithPrime(201)), nil)
	if s := p.Stats(); s.Reserved != 300 {
		t.Errorf("reserved %d", s.Reserved)
	}
	q := newRig(t, func(c *Config) { c.Prime = 300 })
	wantErr(t, "open", q.ready().Open(poolrt.WithPrime(0)), nil)
	if s := q.Stats(); s.Reserved != 0 {
		t.Errorf("reserved %d", s.Reserved)
	}
}

// frees allocates three blocks, a chunk each, and frees the last two.
func (p *rig) frees() block {
	p.t.Helper()
	a, b, c := p.mustAlloc(100), p.mustAlloc(100), p.mustAlloc(100)
	p.mustFree(b, c)
	return a
}

// TestWithTrim: the policy of the option counts in place of that of the pool file.
func TestWithTrim(t *testing.T) {
	onFree := &TrimPolicy{}
	for _, test := range []struct {
		name   string
		file   *TrimPolicy
		policy *poolrt.TrimPolicy
		after  int64 // reserved after frees
		polled int64 // and after Poll
		grown  int64 // and after a request that needs another chunk
	}{
		{"none", onFree, nil, 300, 300, 450},
		{"keep", onFree, &poolrt.TrimPolicy{Keep: 200}, 200, 200, 350},
		{"growth", onFree, &poolrt.TrimPolicy{Growth: true}, 300, 300, 250},
		{"idle", onFree, &poolrt.TrimPolicy{Idle: time.Hour}, 300, 300, 450},
		{"free, file without trim", nil, &poolrt.TrimPolicy{}, 300, 100, 250},
		{"keep, file without trim", nil, &poolrt.TrimPolicy{Keep: 200}, 300, 200, 350},
		{"growth, file without trim", nil, &poolrt.TrimPolicy{Growth: true}, 300, 300, 250},
		{"free, file with growth", &TrimPolicy{Growth: true}, &poolrt.TrimPolicy{}, 300, 100, 250},
		{"none, file with growth", &TrimPolicy{Growth: true}, nil, 300, 300, 450},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newRig(t, func(c *Config) { c.Trim, c.Oversize = test.file, true })
			p.core.emptied = p.config.reportsEmptied()
			wantErr(t, "open", p.ready().Open(poolrt.WithTrim(test.policy)), nil)
			p.frees()
			after := p.Stats().Reserved
			p.Poll()
			polled := p.Stats().Reserved
			p.mustAlloc(150)
			if grown := p.Stats().Reserved; after != test.after || polled != test.polled || grown != test.grown {
				t.Errorf("reserved %d, %d after Poll, %d after growth; want %d, %d, %d", after, polled, grown, test.after, test.polled, test.grown)
			}
		})
	}
}

// TestWithTrimCopies: what the program does with the policy afterwards does not matter.
func TestWithTrimCopies(t *testing.T) {
	policy := &poolrt.TrimPolicy{Keep: 300}
	option := poolrt.WithTrim(policy)
	policy.Keep = 0
	p := newRig(t, func(c *Config) { c.Trim = &TrimPolicy{} })
	wantErr(t, "open", p.ready().Open(option), nil)
	p.frees()
	if s := p.Stats(); s.Reserved != 300 {
		t.Errorf("reserved %d", s.Reserved)
	}
}

// TestPrime: memory comes all or nothing, within limit and budget, and in whole chunks.
func TestPrime(t *testing.T) {
	for _, locked := range []bool{true, false} {
		budget := NewBudget("B", 700)
		p := newRig(t, func(c *Config) { c.Limit, c.Budget, c.Locked, c.Granularity = 530, budget, locked, 10 })
		q := newRig(t, func(c *Config) { c.Budget = budget })
		q.mustAlloc(100)
		wantErr(t, "negative", p.ready().Prime(-1), poolrt.ErrBadSize)
		wantErr(t, "beyond the limit", p.Prime(531), poolrt.ErrLimit)
		for _, step := range []struct{ bytes, reserved int64 }{{0, 0}, {1, 100}, {100, 100}, {101, 200}, {50, 200}, {530, 530}} {
			wantErr(t, "prime", p.Prime(step.bytes), nil)
			if s := p.Stats(); s.Reserved != step.reserved {
				t.Errorf("Prime(%d): reserved %d, want %d", step.bytes, s.Reserved, step.reserved)
			}
		}
		p.mustTrim()
		q.mustAlloc(100)
		q.mustAlloc(100)
		p.mustAlloc(1)
		wantErr(t, "beyond the budget", p.Prime(500), poolrt.ErrLimit)
		if s := p.Stats(); s.Reserved != 100 || budget.Reserved() != 400 {
			t.Errorf("reserved %d, and %d of the budget", s.Reserved, budget.Reserved())
		}
		p.source.onAlloc = func(call int) error {
			if call == 12 {
				return errNoMemory
			}
			return nil
		}
		if err := p.Prime(400); !errors.Is(err, poolrt.ErrOutOfMemory) || !errors.Is(err, errNoMemory) {
			t.Errorf("the source fails: %v", err)
		}
		if s := p.Stats(); s.Reserved != 100 || s.Failures != 0 {
			t.Errorf("reserved %d, %d failures", s.Reserved, s.Failures)
		}
		wantErr(t, "prime", p.Prime(400), nil)
	}
	direct := newRig(t, func(c *Config) { c.Direct = true })
	wantErr(t, "without chunks", direct.ready().Prime(1), poolrt.ErrUnsupported)
	closed := newRig(t, nil)
	wantErr(t, "close", closed.close(), nil)
	wantErr(t, "closed", closed.Prime(1), poolrt.ErrClosed)
}
