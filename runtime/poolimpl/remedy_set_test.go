package poolimpl

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// toldAt returns the remedies of a request for 50 bytes that has failed in a heap whose free memory is in pieces of 30.
func toldAt(err error, change func(f *remedy)) []string {
	f := remedy{
		config: &Config{Suballocator: "heap", Fit: "good", Source: Host(), Locked: true, Limit: 100, Granularity: 1},
		failed: &poolrt.PoolError{
			Op: "alloc", Err: err, Request: 50, Limit: 100, Reserved: 100, LargestFree: 30, Account: &poolrt.Account{Blocks: 2, Free: 60},
		},
		unit: 50, granularity: 1, least: 50, need: 50, want: 50, engine: new(Engine),
	}
	change(&f)
	return f.list()
}

// pieces returns the remedies of a request that fails because the free memory of a pool on a device lies in two chunks.
func pieces(t *testing.T, change func(c *Config)) []string {
	const mib = 1 << 20
	p := newStreamRig(t, func(c *Config) {
		c.Suballocator, c.ChunkSize, c.Limit, c.Ladder = "heap", 16*mib, 32*mib, nil
		change(c)
	})
	var blocks []block
	for _, n := range []uint64{4 * mib, 12 * mib, 4 * mib, 12 * mib} {
		blocks = append(blocks, must2(p.alloc(n)))
	}
	for _, i := range []int{1, 3} {
		wantErr(t, "free", p.free(blocks[i]), nil)
	}
	_, err := p.alloc(16 * mib)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	return remediesOf(t, err)
}

func remediesOf(t *testing.T, err error) []string {
	t.Helper()
	var p *poolrt.PoolError
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	return p.Remedies
}

// acrossStreams returns the remedies of a request on a stream for which another one has freed memory; none if it is served.
func acrossStreams(t *testing.T, change func(c *Config)) []string {
	p := newStreamRig(t, func(c *Config) {
		c.Limit, c.Ladder = 100, nil
		change(c)
	})
	b := must2(p.allocOn(s1, 70))
	p.line.use(s1)
	wantErr(t, "free", p.freeOn(b, s1), nil)
	if _, err := p.allocOn(s2, 70); err != nil {
		return remediesOf(t, err)
	}
	return nil
}

// beside returns the remedies of a request for which the device has no memory, beside a pool that holds some empty.
func beside(t *testing.T, change func(needy, other *Config)) []string {
	p, q := newStreamRig(t, func(c *Config) { c.Name, c.Ladder = "test.Needy", nil }), newStreamRig(t, func(c *Config) { c.Name = "test.Other" })
	change(&p.config, &q.config)
	for _, e := range []*Engine{p.ready(), q.ready()} {
		wantErr(t, "open", e.Open(poolrt.OnDevice(99)), nil) // no other test leaves a pool there
	}
	wantErr(t, "free", q.free(must2(q.alloc(70))), nil)
	p.source.onAlloc = func(int) error { return &causedBy{poolrt.ErrOutOfMemory, errNoMemory} }
	_, err := p.alloc(70)
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	defer func() {
		wantErr(t, "close", p.close(), nil)
		wantErr(t, "close", q.close(), nil)
	}()
	return remediesOf(t, err)
}

// No remedy proposes what the pool has already.
func TestRemediesThatAreSet(t *testing.T) {
	limit, memory := poolrt.ErrLimit, poolrt.ErrOutOfMemory
	ladder := func(kind RungKind) []Rung { return []Rung{{Kind: kind}} }
	pending := func(f *remedy) {
		f.drains, f.failed.Account.Pending = true, []poolrt.PendingFrees{{Stream: 1, Blocks: 1, Bytes: 50}}
	}
	shared := NewBudget("B", 1000)
	tests := []struct {
		setting string
		told    func(set bool) []string
	}{
		{"fit", func(set bool) []string {
			return toldAt(limit, func(f *remedy) {
				if set {
					f.config.Fit = "best"
				}
			})
		}},
		{"chunk_size", func(set bool) []string { // one chunk is all
			return toldAt(limit, func(f *remedy) {
				if f.config.Suballocator = "bump"; set {
					f.unit = 100
				}
			})
		}},
		{"chunk_size", func(set bool) []string { // the smallest pages
			return toldAt(limit, func(f *remedy) {
				f.page, f.failed.Reserved, f.failed.Account.Blocks, f.failed.Account.Pinned = 40, 90, 1, 60
				if set {
					f.config.Granularity = 40
				}
			})
		}},
		{"chunk_size", func(set bool) []string {
			return toldAt(poolrt.ErrTooLarge, func(f *remedy) { f.unit, f.config.Oversize = 40, set })
		}},
		{"chunk_size", func(set bool) []string { // no more than the request needs was asked for
			return toldAt(memory, func(f *remedy) {
				if f.failed.Account.Free, f.want = 0, 80; !set {
					f.failed.Cause = unexplained{errNoMemory}
				}
			})
		}},
		{"arena_size", func(set bool) []string {
			return toldAt(poolrt.ErrTooLarge, func(f *remedy) {
				if f.config.Suballocator, f.least = "ring", poolrt.NoLimit; set {
					f.least = 50
				}
			})
		}},
		{"cache", func(set bool) []string { // nothing is cached
			return toldAt(limit, func(f *remedy) {
				if f.config.Suballocator = "classes"; !set {
					f.failed.Account.Cached = 20
				}
			})
		}},
		{"max_limit", func(set bool) []string {
			return toldAt(limit, func(f *remedy) {
				if f.config.MaxLimit = 120; set {
					f.config.MaxLimit = poolrt.NoLimit
				}
			})
		}},
		{"growth: fixed", func(set bool) []string {
			return toldAt(memory, func(f *remedy) { f.config.Double, f.want, f.failed.Cause = !set, 100, unexplained{errNoMemory} })
		}},
		{"shareable", func(set bool) []string {
			return toldAt(memory, func(f *remedy) {
				if f.failed.Cause = (&NoAddresses{Need: 50, Cause: ErrOneRange}); set {
					f.failed.Cause = &NoAddresses{Need: 50, Cause: errNoMemory}
				}
			})
		}},
		{"rung trim", func(set bool) []string {
			return toldAt(limit, func(f *remedy) {
				if f.failed.Account.Empty = 50; set {
					f.config.Ladder = ladder(RungTrim)
				}
			})
		}},
		{"rung wait", func(set bool) []string {
			return toldAt(limit, func(f *remedy) {
				if set {
					f.config.Ladder = ladder(RungWait)
				}
			})
		}},
		{"rung drain", func(set bool) []string {
			return toldAt(limit, func(f *remedy) {
				if pending(f); set {
					f.config.Ladder = ladder(RungDrain)
				}
			})
		}},
		{"rung poll", func(set bool) []string {
			return acrossStreams(t, func(c *Config) {
				if set {
					c.Ladder = ladder(RungPoll)
				}
			})
		}},
		{"across_streams", func(set bool) []string {
			return acrossStreams(t, func(c *Config) {
				if set {
					c.AcrossStreams = AcrossGrowth
				}
			})
		}},
		{"device_virtual", func(set bool) []string {
			return pieces(t, func(c *Config) {
				if set { // fallback has chosen another one
					c.Allocator = "device_virtual"
				}
			})
		}},
		{"a budget of these pools", func(set bool) []string {
			return beside(t, func(p, q *Config) {
				if set {
					p.Budget, q.Budget = shared, shared
				}
			})
		}},
		{"rung trim", func(set bool) []string {
			return beside(t, func(p, q *Config) {
				if p.Budget, q.Budget = shared, shared; set {
					p.Ladder = ladder(RungTrim)
				}
			})
		}},
	}
	named := "on_exhausted " // stands beside rungs
	for i, c := range tests {
		for _, set := range []bool{false, true} {
			list := c.told(set)
			if told := strings.Contains(strings.Join(list, "\n"), c.setting); told == set {
				t.Errorf("%d: %s is set: %t, it is proposed: %t, in %q", i, c.setting, set, told, list)
			}
		}
		named += c.setting + " "
	}
	settings := regexp.MustCompile(`\b(rung [a-z]+|[a-z]+_[a-z]+|growth: [a-z]+|shareable)\b`)
	for _, file := range []string{"remedies.go", "others.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, literal := range regexp.MustCompile(`add\(.*`).FindAllString(string(text), -1) {
			for _, s := range settings.FindAllString(literal, -1) {
				if !strings.Contains(named, s) {
					t.Errorf("%s proposes %s, and this test does not", file, s)
				}
			}
		}
	}
}
