//go:build cudasim

package devices

import (
	"maps"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// driven has the methods of pools whose chunks come from a pool of the driver.
type driven interface {
	DriverStats() (cuda.MemPoolStats, error)
	DriverAttr(cuda.MemPoolAttribute) (uint64, error)
	SetDriverAttr(cuda.MemPoolAttribute, uint64) error
	DriverHandle() (uintptr, error)
	ResetPeaks() error
	Trim(int64) (int64, error)
	Stats() poolrt.Stats
	Close() error
}

// Memory that the driver's pool keeps in pieces that are too small goes back before a request fails. If pieces in use are in the way, the error says so.
func TestDriverPoolInPieces(t *testing.T) {
	if poolrt.Debug {
		t.Skip("a debug build takes twice the memory from the driver's pool")
	}
	machine(t, sim.Config{Devices: 1, Capacity: 192 << 10, Granularity: 64 << 10})
	p := new(OwnPool)
	rig.Closing(t, p)
	var small []OwnSpan
	for range 3 {
		small = append(small, rig.Must(p.Alloc(60<<10)))
	}
	for _, b := range small {
		rig.Check(t, "free", p.Free(b))
	}
	large, err := p.Alloc(180 << 10)
	rig.Check(t, "a large block", err)
	rig.Check(t, "free", p.Free(large))
	rig.Must(p.Trim(0))
	// 100 KiB take two pieces of 64 KiB, so 28 KiB stay free behind them.
	large = rig.Must(p.Alloc(100 << 10))
	_, err = p.Alloc(100 << 10)
	rig.Refused(t, "no room", err, poolrt.ErrOutOfMemory)
	if want := "the driver's pool has 28672 bytes free, in pieces between those in use"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to hold %q", err, want)
	}
	rig.Check(t, "free", p.Free(large))
}

func TestDriverPool(t *testing.T) {
	type taken struct{ free func() error }
	own, shared := new(OwnPool), new(SharedPool)
	for _, c := range []struct {
		name string
		pool driven
		take func() taken
	}{
		{"custom", own, func() taken { b := rig.Must(own.Alloc(60 << 10)); return taken{func() error { return own.Free(b) }} }},
		{"default", shared, func() taken {
			b := rig.Must(shared.Alloc(60 << 10))
			return taken{func() error { return shared.Free(b) }}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if poolrt.Debug {
				t.Skip("a debug build takes twice the memory from the driver's pool")
			}
			machine(t, sim.Config{Granularity: 64 << 10})
			rig.Closing(t, c.pool)
			if handle := rig.Must(c.pool.DriverHandle()); handle == 0 { // before first use
				t.Error("no handle")
			}
			rig.Check(t, "threshold", c.pool.SetDriverAttr(cuda.ReleaseThreshold, 1<<40))
			if n := rig.Must(c.pool.DriverAttr(cuda.ReleaseThreshold)); n != 1<<40 {
				t.Errorf("threshold %d", n)
			}
			if s := rig.Must(c.pool.DriverStats()); s != (cuda.MemPoolStats{}) {
				t.Errorf("unused: %+v", s)
			}
			a, b := c.take(), c.take()
			if s := rig.Must(c.pool.DriverStats()); s != (cuda.MemPoolStats{Reserved: 128 << 10, ReservedHigh: 128 << 10, Used: 128 << 10, UsedHigh: 128 << 10}) {
				t.Errorf("two chunks: %+v", s)
			}
			rig.Check(t, "free", b.free())
			if n := rig.Must(c.pool.Trim(64 << 10)); n != 64<<10 {
				t.Errorf("trimmed %d", n)
			}
			rig.Check(t, "peaks", c.pool.ResetPeaks())
			if s := rig.Must(c.pool.DriverStats()); s != (cuda.MemPoolStats{Reserved: 64 << 10, ReservedHigh: 64 << 10, Used: 64 << 10, UsedHigh: 64 << 10}) {
				t.Errorf("trimmed: %+v", s)
			}
			rig.Check(t, "free", a.free())
			if n := rig.Must(c.pool.Trim(1 << 20)); n != 0 {
				t.Errorf("nothing to trim: %d", n)
			}
			if s := rig.Must(c.pool.DriverStats()); s.Used != 64<<10 {
				t.Errorf("kept: %+v", s)
			}
			if n := rig.Must(c.pool.Trim(0)); n != 64<<10 {
				t.Errorf("trimmed %d", n)
			}
			if s := rig.Must(c.pool.DriverStats()); s.Reserved != 0 || s.Used != 0 {
				t.Errorf("empty: %+v", s)
			}
		})
	}
}

func TestDriverAttributes(t *testing.T) {
	machine(t, sim.Config{})
	p := rig.Must(NewOwnPool())
	for _, c := range []struct {
		attribute cuda.MemPoolAttribute
		value     uint64
		detail    string // of the refusal; "" if the call succeeds
	}{
		{cuda.ReuseFollowEventDependencies, 0, ""},
		{cuda.ReuseAllowOpportunistic, 1, ""},
		{cuda.ReuseAllowInternalDependencies, 2, "the setting is 0 or 1"},
		{cuda.ReleaseThreshold, 1 << 63, ""},
		{cuda.ReservedHigh, 0, ""},
		{cuda.UsedHigh, 1, "a highest value can only be set to 0"},
		{cuda.ReservedHigh, 1, "a highest value can only be set to 0"},
		{cuda.ReservedCurrent, 0, "what a pool has and what is in use can only be read"},
		{cuda.UsedCurrent, 0, "what a pool has and what is in use can only be read"},
	} {
		before := sim.Calls("cuMemPoolSetAttribute")
		err := p.SetDriverAttr(c.attribute, c.value)
		if c.detail == "" {
			rig.Check(t, "set", err)
			if n := rig.Must(p.DriverAttr(c.attribute)); n != c.value {
				t.Errorf("attribute %d is %d", c.attribute, n)
			}
			continue
		}
		e := rig.As[*cuda.Error](t, err)
		if e.Detail != c.detail || rig.As[*poolrt.PoolError](t, err).Pool != "devices.Own" || sim.Calls("cuMemPoolSetAttribute") > before {
			t.Errorf("attribute %d: %v", c.attribute, err)
		}
	}
	if rig.Second(p.DriverAttr(99)) == nil || p.SetDriverAttr(99, 0) == nil {
		t.Error("attribute 99")
	}
	rig.Check(t, "close", p.Close())
	for what, err := range map[string]error{
		"stats": rig.Second(p.DriverStats()), "attribute": rig.Second(p.DriverAttr(cuda.UsedHigh)), "set": p.SetDriverAttr(cuda.UsedHigh, 0),
		"handle": rig.Second(p.DriverHandle()), "peaks": p.ResetPeaks(), "trim": rig.Second(p.Trim(0)),
	} {
		rig.Refused(t, what+" of a closed pool", err, poolrt.ErrClosed)
	}
}

// Of the default pool, which the whole process uses, only attributes in the pool file are set.
func TestDefaultSettings(t *testing.T) {
	machine(t, sim.Config{})
	others := rig.Must(cuda.Device(0).DefaultMemPool())
	want := map[cuda.MemPoolAttribute]uint64{cuda.ReuseFollowEventDependencies: 0, cuda.ReuseAllowInternalDependencies: 0, cuda.ReuseAllowOpportunistic: 1, cuda.ReleaseThreshold: 5}
	for a, v := range want {
		rig.Check(t, "set", others.SetAttribute(a, v))
	}
	for _, c := range []struct {
		name string
		pool driven
		set  map[cuda.MemPoolAttribute]uint64
	}{
		{"nothing", new(SharedPool), nil},
		{"two settings", new(TunedPool), map[cuda.MemPoolAttribute]uint64{cuda.ReleaseThreshold: 1 << 20, cuda.ReuseAllowOpportunistic: 0}},
	} {
		calls := sim.Calls("cuMemPoolSetAttribute")
		if rig.Must(c.pool.DriverHandle()) != others.Handle() {
			t.Errorf("%s: not the default pool", c.name)
		}
		maps.Copy(want, c.set)
		for a, v := range want {
			if got := rig.Must(others.Attribute(a)); got != v {
				t.Errorf("%s: attribute %d is %d, want %d", c.name, a, got, v)
			}
		}
		if n := sim.Calls("cuMemPoolSetAttribute") - calls; n != len(c.set) {
			t.Errorf("%s: %d attributes are set", c.name, n)
		}
		rig.Check(t, "close", c.pool.Close())
	}
}

// Trim of an unused pool does not call the driver, and wrong sizes are refused.
func TestTrimOfAnUnusedPoolDoesNotCallTheDriver(t *testing.T) {
	machine(t, sim.Config{})
	p := new(SharedPool)
	if n, err := p.Trim(0); n != 0 || err != nil || sim.Calls("cuDeviceGetDefaultMemPool") > 0 {
		t.Errorf("%d %v", n, err)
	}
	_, err := p.Trim(-1)
	rig.Refused(t, "negative", err, poolrt.ErrBadSize)
	rig.Check(t, "close", p.Close())
}
