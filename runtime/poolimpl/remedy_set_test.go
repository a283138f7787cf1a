package poolimpl

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// toldAt returns the remedies of a request for 50 bytes that has failed in a heap whose free memory is in pieces of 30.
func toldAt(err error, changes ...func(f *remedy)) []string {
	f := remedy{
		config: &Config{Suballocator: "heap", Fit: "good", Source: Host(), Locked: true, Limit: 100, Granularity: 1},
		failed: &poolrt.PoolError{
			Op: "alloc", Err: err, Request: 50, Limit: 100, Reserved: 100, LargestFree: 30, Account: &poolrt.Account{Blocks: 2, Free: 60},
		},
		unit: 50, granularity: 1, least: 50, need: 50, want: 50, engine: new(Engine),
	}
	for _, change := range changes {
		change(&f)
	}
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
	limit, large, memory := poolrt.ErrLimit, poolrt.ErrTooLarge, poolrt.ErrOutOfMemory
	none := func(*remedy) {}
	rung := func(r Rung) func(f *remedy) { return func(f *remedy) { f.config.Ladder = []Rung{r} } }
	var named strings.Builder
	check := func(setting string, set bool, list []string) {
		t.Helper()
		if told := strings.Contains(strings.Join(list, "\n"), setting); told == set {
			t.Errorf("%s is set: %t, it is proposed: %t, in %q", setting, set, told, list)
		}
		named.WriteString(setting + " ")
	}
	for _, c := range []struct {
		setting        string
		err            error
		lacks, already func(f *remedy)
	}{
		{"fit", limit, none, func(f *remedy) { f.config.Fit = "best" }},
		{"chunk_size", limit, none, func(f *remedy) { f.unit = 100 }}, // one chunk is all
		{"chunk_size", limit, func(f *remedy) { // pages
			f.page, f.failed.Reserved, f.failed.Account.Blocks, f.failed.Account.Pinned = 40, 90, 1, 60
		}, func(f *remedy) { f.config.Granularity = 40 }},
		{"chunk_size", large, func(f *remedy) { f.unit = 40 }, func(f *remedy) { f.config.Oversize = true }},
		{"chunk_size", memory, func(f *remedy) { f.failed.Account.Free, f.want, f.failed.Cause = 0, 80, unexplained{errNoMemory} },
			func(f *remedy) { f.failed.Cause = errNoMemory }}, // no more than the request needs was asked for
		{"arena_size", large, func(f *remedy) { f.config.Suballocator, f.least = "ring", poolrt.NoLimit }, func(f *remedy) { f.least = 50 }},
		{"cache", limit, func(f *remedy) { f.config.Suballocator, f.failed.Account.Cached = "classes", 20 },
			func(f *remedy) { f.failed.Account.Cached = 0 }},
		{"max_limit", limit, func(f *remedy) { f.config.MaxLimit = 120 }, func(f *remedy) { f.config.MaxLimit = poolrt.NoLimit }},
		{"growth: fixed", memory, func(f *remedy) { f.config.Double, f.want, f.failed.Cause = true, 100, unexplained{errNoMemory} },
			func(f *remedy) { f.config.Double = false }},
		{"shareable", memory, func(f *remedy) { f.failed.Cause = &NoAddresses{Need: 50, Cause: ErrOneRange} },
			func(f *remedy) { f.failed.Cause = &NoAddresses{Need: 50, Cause: errNoMemory} }},
		{"rung trim", limit, func(f *remedy) { f.failed.Account.Empty = 50 }, rung(TrimRung{})},
		{"rung wait", limit, none, rung(WaitRung{})},
		{"rung drain", limit, func(f *remedy) {
			f.drains, f.failed.Account.Pending = true, []poolrt.PendingFrees{{Stream: 1, Blocks: 1, Bytes: 50}}
		}, rung(DrainRung{})},
	} {
		check(c.setting, false, toldAt(c.err, c.lacks))
		check(c.setting, true, toldAt(c.err, c.lacks, c.already))
	}

	for _, setting := range []string{"rung poll", "across_streams"} {
		check(setting, false, acrossStreams(t, func(*Config) {}))
	}
	check("rung poll", true, acrossStreams(t, func(c *Config) { c.Ladder = []Rung{PollRung{}} }))
	check("across_streams", true, acrossStreams(t, func(c *Config) { c.AcrossStreams = AcrossGrowth }))
	check("device_virtual", false, pieces(t, func(*Config) {}))
	check("device_virtual", true, pieces(t, func(c *Config) { c.Allocator = "device_virtual" })) // fallback has chosen another one
	shared := NewBudget("B", 1000)
	both := func(p, q *Config) { p.Budget, q.Budget = shared, shared }
	check("a budget of these pools", false, beside(t, func(p, q *Config) {}))
	check("a budget of these pools", true, beside(t, both))
	check("rung trim", false, beside(t, both))
	check("rung trim", true, beside(t, func(p, q *Config) { both(p, q); p.Ladder = []Rung{TrimRung{}} }))

	settings := regexp.MustCompile(`\b(rung [a-z]+|[a-z]+_[a-z]+|growth: [a-z]+|shareable)\b`)
	for _, file := range []string{"remedies.go", "others.go"} {
		text, err := os.ReadFile(file)
		fatal.If(t, err)
		for _, literal := range regexp.MustCompile(`add\(.*`).FindAllString(string(text), -1) {
			for _, s := range settings.FindAllString(literal, -1) {
				if s != "on_exhausted" && !strings.Contains(named.String(), s) { // on_exhausted stands beside rungs
					t.Errorf("%s proposes %s, and this test does not", file, s)
				}
			}
		}
	}
}
