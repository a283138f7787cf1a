package poolimpl

import (
	"reflect"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func TestOpen(t *testing.T) {
	t.Run("options", func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Limit, c.Prime = 500, 150 })
		wantErr(t, "open", p.ready().Open(poolrt.WithName("mine"), nil, poolrt.WithLimit(250)), nil)
		if s := p.Stats(); s.Reserved != 200 || s.Limit != 250 {
			t.Errorf("reserved %d, limit %d", s.Reserved, s.Limit)
		}
		err := p.Open()
		wantErr(t, "open twice", err, poolrt.ErrLive)
		if !strings.Contains(err.Error(), "poolgen: mine: configure: ") {
			t.Error(err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		for _, test := range []struct {
			option poolrt.Option
			want   error
		}{{poolrt.WithLimit(501), poolrt.ErrBadSize}, {poolrt.WithLimit(-1), poolrt.ErrBadSize}, {poolrt.OnDevice(0), poolrt.ErrUnsupported}, {poolrt.OnDevice(-1), poolrt.ErrUnsupported}} {
			p := newRig(t, func(c *Config) { c.Limit = 500 })
			wantErr(t, "open", p.ready().Open(test.option), test.want)
			wantErr(t, "open again", p.Open(poolrt.WithLimit(500)), nil)
		}
	})
	t.Run("in use", func(t *testing.T) {
		p := newRig(t, nil)
		p.mustAlloc(1)
		wantErr(t, "open", p.Open(), poolrt.ErrLive)
	})
	t.Run("closed", func(t *testing.T) {
		p := newRig(t, nil)
		wantErr(t, "close", p.close(), nil)
		wantErr(t, "open", p.Open(), poolrt.ErrClosed)
	})
}

// TestOpenFails: a pool that cannot reserve its initial memory stays unopened.
func TestOpenFails(t *testing.T) {
	b := NewBudget("B", 1000)
	p := newRig(t, func(c *Config) { c.Prime, c.Budget, c.Limit = 300, b, 500 })
	p.source.onAlloc = func(call int) error {
		if call == 3 {
			return errNoMemory
		}
		return nil
	}
	wantErr(t, "open", p.ready().Open(poolrt.WithName("mine"), poolrt.WithLimit(400)), poolrt.ErrOutOfMemory)
	if s := p.Stats(); s.Reserved != 0 || s.Limit != 500 || b.Reserved() != 0 || members(b) != 0 {
		t.Errorf("reserved %d, limit %d, budget %d of %d", s.Reserved, s.Limit, b.Reserved(), members(b))
	}
	wantErr(t, "above the limit", p.Open(poolrt.WithLimit(250)), poolrt.ErrLimit)
	wantErr(t, "open", p.Open(), nil)
	if s := p.Stats(); s.Reserved != 300 {
		t.Errorf("reserved %d", s.Reserved)
	}
}

// TestPrimeLazily: a pool that its first use opens reserves as much of its initial memory as it can, and works.
func TestPrimeLazily(t *testing.T) {
	for fail := 1; fail <= 4; fail++ {
		p := newRig(t, func(c *Config) { c.Prime = 250 })
		p.source.onAlloc = func(call int) error {
			if call == fail {
				return errNoMemory
			}
			return nil
		}
		wantErr(t, "set limit first", p.ready().SetLimit(1000), nil)
		p.mustAlloc(1)
		if s, want := p.Stats(), []int64{100, 100, 200, 300}[fail-1]; s.Reserved != want {
			t.Errorf("failure %d: reserved %d, want %d", fail, s.Reserved, want)
		}
	}
}

// TestPrimeOddLimit: a pool whose initial memory is its whole limit opens, even if the limit is not a multiple of the chunk size.
func TestPrimeOddLimit(t *testing.T) {
	for _, limits := range [][2]int64{{530, poolrt.NoLimit}, {poolrt.NoLimit, 530}, {530, 540}} {
		p := newRig(t, func(c *Config) {
			c.Prime, c.Granularity, c.Limit, c.Budget = 530, 50, limits[0], NewBudget("B", limits[1])
		})
		wantErr(t, "above the limit", p.ready().Open(poolrt.WithLimit(529)), poolrt.ErrLimit)
		wantErr(t, "open", p.Open(), nil)
		if s := p.Stats(); s.Reserved != 500 {
			t.Errorf("limits %d: reserved %d", limits, s.Reserved)
		}
	}
}

type pointerFree struct {
	A [4]int32
	B struct{ C complex64 }
	D [0]*int
}

type withPointer struct {
	A int
	B [3]struct{ S string }
}

func TestBadItem(t *testing.T) {
	good := []reflect.Type{reflect.TypeFor[pointerFree](), reflect.TypeFor[uintptr](), reflect.TypeFor[[8]bool]()}
	for _, item := range good {
		p := newRig(t, func(c *Config) { c.Item = func() reflect.Type { return item } })
		p.mustAlloc(1)
	}
	bad := []reflect.Type{reflect.TypeFor[withPointer](), reflect.TypeFor[*int](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[any](), reflect.TypeFor[func()](), reflect.TypeFor[chan int](), reflect.TypeFor[map[int]int](), reflect.TypeFor[string]()}
	for _, item := range bad {
		p := newRig(t, func(c *Config) { c.Item = func() reflect.Type { return item } })
		for range 2 {
			_, err := p.alloc(1)
			wantErr(t, "alloc", err, poolrt.ErrBadItem)
		}
		q := newRig(t, p.copyConfig)
		wantErr(t, "open", q.ready().Open(), poolrt.ErrBadItem)
		wantErr(t, "open again", q.Open(), poolrt.ErrBadItem)
		if p.source.calls()+q.source.calls() > 0 {
			t.Error("a chunk was obtained")
		}
	}
	err := checkItem(reflect.TypeFor[withPointer]())
	if want := "item poolimpl.withPointer.B[0].S (string) is a pointer, or holds one"; err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func (p *rig) copyConfig(c *Config) { c.Item = p.config.Item }

func TestClose(t *testing.T) {
	t.Run("never used", func(t *testing.T) {
		for _, locked := range []bool{false, true} {
			p := newRig(t, func(c *Config) { c.Locked = locked })
			wantErr(t, "close", p.close(), nil)
			wantErr(t, "close by force", p.closeForce(), nil)
		}
	})
	t.Run("live", func(t *testing.T) {
		p := newRig(t, nil)
		x := p.mustAlloc(60)
		y := p.mustAlloc(60)
		p.mustFree(p.mustAlloc(40))
		err := p.close()
		wantErr(t, "close", err, poolrt.ErrLive)
		if want := "poolgen: " + p.Name() + ": close: in use: 2 blocks are live " +
			"(live 120, reserved 200, limit none, largest free range 0)"; err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if p.source.frees != 0 {
			t.Error("Close released memory")
		}
		p.mustFree(x, y)
		wantErr(t, "close", p.close(), nil)
		wantErr(t, "close again", p.close(), nil)
	})
	t.Run("uncounted", func(t *testing.T) {
		p := newRig(t, func(c *Config) { c.Uncounted = true })
		p.mustAlloc(1)
		wantErr(t, "close", p.close(), nil)
	})
	t.Run("by force", func(t *testing.T) {
		p := newRig(t, nil)
		x := p.mustAlloc(60)
		wantErr(t, "close", p.closeForce(), nil)
		wantErr(t, "free", p.free(x), poolrt.ErrClosed)
		_, err := p.alloc(1)
		wantErr(t, "alloc", err, poolrt.ErrClosed)
		if want := "(live 0, reserved 0, limit none, largest free range 0)"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want it to end with %s", err, want)
		}
		if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.Reserved != 0 || s.Chunks != 0 || s.RoundingBytes != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestUseAfterClose: every call reports that the pool is closed.
func TestUseAfterClose(t *testing.T) {
	for _, locked := range []bool{false, true} {
		p := newRig(t, func(c *Config) { c.Locked, c.Ladder = locked, []Rung{TrimRung{}, WaitRung{}} })
		b := p.mustAlloc(60)
		p.mustFree(b)
		wantErr(t, "close", p.close(), nil)
		calls := map[string]func() error{
			"alloc":         func() error { _, err := p.alloc(1); return err },
			"alloc context": func() error { _, err := p.AllocContext(t.Context(), 1, 1); return err },
			"free":          func() error { return p.free(b) },
			"bad count":     func() error { return p.Refuse(badCount, -1) },
			"bad alignment": func() error { return p.Refuse(BadAlignment, 3, 100) },
			"trim":          func() error { _, err := p.Trim(0); return err },
			"set limit":     func() error { return p.SetLimit(1) },
			"reset":         func() error { return p.Reset(p.reset) },
			"release":       func() error { return p.Release(func() bool { return true }) },
			"open":          func() error { return p.Open() },
		}
		for name, call := range calls {
			wantErr(t, name, call(), poolrt.ErrClosed)
		}
		if _, ok := p.try(1); ok || p.Poll() != 0 {
			t.Error("a closed pool works")
		}
		if s := p.Stats(); s.Failures != 4 {
			t.Errorf("%d failures", s.Failures)
		}
	}
}

func TestResetAndRelease(t *testing.T) {
	p := newRig(t, nil)
	wantErr(t, "reset a pool never used", p.ready().Reset(p.reset), nil)
	p.mustAlloc(10)
	err := p.Reset(p.reset)
	wantErr(t, "reset", err, poolrt.ErrLive)
	wantErr(t, "release", p.Release(func() bool { return true }), nil)
	wantErr(t, "release", p.Release(func() bool { return false }), poolrt.ErrForeign)
	p.config.Uncounted = true
	reset := false
	wantErr(t, "reset", p.Reset(func() { reset = true }), nil)
	if !reset {
		t.Error("nothing was reset")
	}
}

func TestEffective(t *testing.T) {
	p := newRig(t, nil)
	if a, why := p.ready().Effective(); a != "host" || why != "" || p.Requested() != "host" {
		t.Error(a, why, p.Requested())
	}
}
