//go:build cudasim

package views

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// subject is a pool with views.
type subject struct {
	view     func(n int, s cuda.Stream) (cuda.FixedView, error)
	free     func() error // frees the view that was made last; nil in pools whose blocks go all at once
	stats    func() poolrt.Stats
	close    func() error
	distance int64 // of items
}

// viewer has the methods of a pool that makes views.
type viewer[V any] interface {
	View(int, cuda.Stream) (V, error)
	Stats() poolrt.Stats
	Close() error
}

// subjectOf describes a pool whose items are aligned.
func subjectOf[V any](p viewer[V], fixed func(V) cuda.FixedView, free func(V) error, align int64) subject {
	var last V
	s := subject{stats: p.Stats, close: p.Close, distance: (distance() + align - 1) / align * align}
	s.view = func(n int, on cuda.Stream) (cuda.FixedView, error) {
		v, err := p.View(n, on)
		last = v
		return fixed(v), err
	}
	if free != nil {
		s.free = func() error { return free(last) }
	}
	return s
}

// distance is that of items which have no alignment: in debug builds, 16 bytes are behind each.
func distance() int64 {
	if poolrt.Debug {
		return 24 + 16
	}
	return 24
}

// subjects makes a pool of each kind.
func subjects() map[string]subject {
	node, near, wide, binned, classes, ring := new(NodePool), new(ClosePool), new(WidePool), new(BinnedPool), new(ClassesPool), new(RingPool)
	direct, driver, page := new(DirectPool), new(ByDriverPool), new(PagePool)
	return map[string]subject{
		"heap":           subjectOf(node, func(v NodeView) cuda.FixedView { return v.FixedView }, node.FreeView, 8),
		"heap aligned":   subjectOf(near, func(v CloseView) cuda.FixedView { return v.FixedView }, near.FreeView, 16),
		"heap, wide":     subjectOf(wide, func(v WideView) cuda.FixedView { return v.FixedView }, wide.FreeView, 512),
		"binned":         subjectOf(binned, func(v BinnedView) cuda.FixedView { return v.FixedView }, binned.FreeView, 8),
		"classes":        subjectOf(classes, func(v ClassesView) cuda.FixedView { return v.FixedView }, classes.FreeView, 8),
		"ring":           subjectOf(ring, func(v RingView) cuda.FixedView { return v.FixedView }, ring.FreeView, 8),
		"bump":           subjectOf(new(BumpPool), func(v BumpView) cuda.FixedView { return v.FixedView }, nil, 8),
		"none":           subjectOf(direct, func(v DirectView) cuda.FixedView { return v.FixedView }, direct.FreeView, 8),
		"driver":         subjectOf(driver, func(v ByDriverView) cuda.FixedView { return v.FixedView }, driver.FreeView, 8),
		"device_virtual": subjectOf(page, func(v PageView) cuda.FixedView { return v.FixedView }, page.FreeView, 8),
	}
}

// machine makes a machine with a kernel, use, that does what a Go function says to a view.
func machine(t *testing.T) (s cuda.Stream, use func(v cuda.FixedView, do func(*sim.View))) {
	t.Helper()
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 1 << 30, Schedule: 1})
	var job func(*sim.View)
	sim.Kernel("use", func(l *sim.Launch) { job(sim.NewView(l, l.Uint64(0))) })
	m := rig.Must(cuda.Device(0).LoadModule([]byte("image")))
	t.Cleanup(func() { rig.Check(t, "close", m.Close()) })
	k := rig.Must(m.Kernel("use"))
	s = rig.Stream(t, 0)
	return s, func(v cuda.FixedView, do func(*sim.View)) {
		t.Helper()
		job = do
		rig.Check(t, "launch", k.Launch(cuda.Config{Grid: [3]uint32{1}, Block: [3]uint32{1}, Stream: s}, v.Addr()))
		rig.Check(t, "synchronize", s.Synchronize())
	}
}

// takeAll allocates until a view has no free item.
func takeAll(v *sim.View) (got []uint64) {
	for a := v.Alloc(); a != 0; a = v.Alloc() {
		got = append(got, a)
	}
	return got
}

// Kernels get each item of a view once, the host sees which they have, and only live items can be freed.
func TestKernelsAllocateAndFree(t *testing.T) {
	s, use := machine(t)
	for name, p := range subjects() {
		v := rig.Must(p.view(100, s))
		if v.Len() != 128 || v.Addr()%128 != 0 || v.Base() != v.At(0) || v.At(127) != v.Base().Add(127*p.distance) {
			t.Errorf("%s: %d items at %v in a view at %v", name, v.Len(), v.Base(), v.Addr())
		}
		if end := v.At(127).Add(24); p.stats().Live != 1 || end > v.Addr().Add(p.stats().LiveBytes) {
			t.Errorf("%s: items end at %v, and %d bytes from %v are live", name, end, p.stats().LiveBytes, v.Addr())
		}
		use(v, func(d *sim.View) {
			for i, a := range takeAll(d) {
				if a != uint64(v.At(i)) {
					t.Errorf("%s: item %d is at %#x, want %v", name, i, a, v.At(i))
				}
			}
			for i := 0; i < 128; i += 3 {
				if a := uint64(v.At(i)); !d.Free(a) || d.Free(a) {
					t.Errorf("%s: of two frees of item %d, not one succeeded", name, i)
				}
			}
			for _, a := range []uint64{0, uint64(v.Base()) + 1, uint64(v.Base()) - uint64(p.distance), uint64(v.At(127)) + uint64(p.distance)} {
				if _, ok := d.Index(a); ok || d.Free(a) {
					t.Errorf("%s: %#x is an item", name, a)
				}
			}
			if i, ok := d.Index(uint64(v.At(77))); i != 77 || !ok {
				t.Errorf("%s: item 77 has index %d", name, i)
			}
		})
		if c, want := rig.Must(v.Counts(s)), (cuda.ViewCounts{Live: 85, Allocs: 128, Frees: 43, Failures: 1, BadFrees: 47}); c != want {
			t.Errorf("%s: %+v, want %+v", name, c, want)
		}
		var live []int
		rig.Check(t, "live", v.Live(s, func(i int) { live = append(live, i) }))
		if len(live) != 85 || live[0] != 1 || live[84] != 127 {
			t.Errorf("%s: the live items are %d", name, live)
		}
		rig.Check(t, "check", v.Check(s))
		use(v, func(d *sim.View) {
			if n := len(takeAll(d)); n != 43 {
				t.Errorf("%s: %d of 43 free items", name, n)
			}
		})
		rig.Check(t, "reset", v.Reset(s)) // forgets the bad frees, which debug builds report
		rig.Check(t, "synchronize", s.Synchronize())
		end(t, name, p)
	}
}

// end frees the view of a pool, and closes the pool.
func end(t *testing.T, name string, p subject) {
	t.Helper()
	if p.free != nil {
		rig.Check(t, name+": free", p.free())
		rig.Refused(t, name+": second free", p.free(), poolrt.ErrInvalidFree)
	}
	rig.Check(t, name+": close", p.close())
}

// Reset frees all items, at once or when a graph is launched.
func TestReset(t *testing.T) {
	s, use := machine(t)
	for name, p := range subjects() {
		v := rig.Must(p.view(2000, s)) // 63 words of bits, and so a second level that ends within a word
		empty := func(how string) {
			t.Helper()
			rig.Check(t, "check", v.Check(s))
			if c := rig.Must(v.Counts(s)); c != (cuda.ViewCounts{}) {
				t.Errorf("%s: after %s: %+v", name, how, c)
			}
			use(v, func(d *sim.View) {
				if n := len(takeAll(d)); n != 2016 {
					t.Errorf("%s: after %s: %d items", name, how, n)
				}
			})
		}
		empty("View")
		rig.Check(t, "reset", v.Reset(s))
		empty("Reset")
		rig.Check(t, "capture", s.BeginCapture())
		rig.Check(t, "reset", v.Reset(s))
		g := rig.Must(s.EndCapture())
		x := rig.Must(g.Instantiate())
		rig.Check(t, "launch", x.Launch(s))
		empty("the graph")
		rig.Check(t, "close", errors.Join(x.Close(), g.Close()))
		end(t, name, p)
	}
}

// What a kernel does to the tables is found.
func TestCheckFindsDamage(t *testing.T) {
	s, use := machine(t)
	p := subjects()["heap"]
	v := rig.Must(p.view(100, s))
	use(v, func(d *sim.View) { takeAll(d); d.Free(uint64(v.At(40))) })
	rig.Check(t, "check", v.Check(s))
	const bits = 256 + 64*128
	for what, damage := range map[string]struct {
		at    int64
		value byte
	}{"a bit of an item": {bits, 1}, "the number of free items": {128, 2}, "the second level": {bits + 128, 0}, "bits behind the second level": {bits + 128, 0xFF}} {
		byteAt := v.Addr().Add(damage.at)
		was := make([]byte, 1)
		rig.Check(t, "read", cuda.CopyToHostAsync(was, byteAt, s))
		rig.Check(t, "write", cuda.MemsetAsync(byteAt, damage.value, 1, s))
		if err := v.Check(s); !errors.Is(err, poolrt.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
		rig.Check(t, "write", cuda.MemsetAsync(byteAt, was[0], 1, s))
		rig.Check(t, "check", v.Check(s))
	}
	rig.Check(t, "write", cuda.MemsetAsync(v.Addr().Add(16), 0xFF, 1, s))
	rig.Check(t, "synchronize", s.Synchronize())
	rig.Refused(t, "Counts of a head that was overwritten", rig.Second(v.Counts(s)), poolrt.ErrForeign)
	end(t, "heap", p)
}

// Misuse is refused, and nothing is taken.
func TestMisuse(t *testing.T) {
	s, _ := machine(t)
	for name, p := range subjects() {
		rig.Check(t, "capture", s.BeginCapture())
		if _, err := p.view(10, s); err == nil {
			t.Errorf("%s: a view was made on a stream that captures", name)
		}
		rig.Check(t, "close", rig.Must(s.EndCapture()).Close())
		for n, want := range map[int]error{0: poolrt.ErrBadSize, -1: poolrt.ErrBadSize, math.MinInt: poolrt.ErrBadSize, math.MaxInt: poolrt.ErrTooLarge, 1 << 31: poolrt.ErrTooLarge, 1 << 24: poolrt.ErrTooLarge} {
			if v, err := p.view(n, s); !errors.Is(err, want) || v != (cuda.FixedView{}) {
				t.Errorf("%s: View(%d): %v, want %v", name, n, err, want)
			}
		}
		if n := p.stats().Live; n != 0 {
			t.Errorf("%s: %d blocks are live", name, n)
		}
		rig.Check(t, "close", p.close())
	}
	var none NodeView
	for what, err := range map[string]error{
		"Counts": rig.Second(none.Counts(s)), "Live": none.Live(s, func(int) {}), "Check": none.Check(s), "Reset": none.Reset(s), "FreeView": new(NodePool).FreeView(none),
	} {
		rig.Refused(t, what+" of no view", err, poolrt.ErrForeign)
	}
	// The memory of a view that has ended belongs to another block.
	p := new(NodePool)
	v := rig.Must(p.View(100, s))
	rig.Check(t, "free", p.FreeView(v))
	b := rig.Must(p.Alloc(1000))
	rig.Check(t, "zero", b.Zero(s))
	rig.Refused(t, "Counts of a view that has ended", rig.Second(v.Counts(s)), poolrt.ErrForeign)
	rig.Check(t, "free", p.Free(b))
	rig.Check(t, "close", p.Close())
}

// A view that cannot be made takes nothing.
func TestFailures(t *testing.T) {
	for _, function := range []string{"cuMemsetD32Async", "cuMemsetD8Async", "cuMemcpyHtoDAsync", "cuStreamIsCapturing"} {
		t.Run(function, func(t *testing.T) {
			if poolrt.Debug && function == "cuMemsetD8Async" {
				t.Skip("debug builds fill blocks with it first")
			}
			s, _ := machine(t)
			for name, p := range subjects() {
				sim.Fail(function, 1, int(cuda.ResultInvalidValue))
				if _, err := p.view(2000, s); err == nil {
					t.Errorf("%s: a view all the same", name)
				}
				if n := p.stats().Live; n != 0 && (p.free != nil || n > 1) {
					t.Errorf("%s: %d blocks are live", name, n)
				}
				rig.Check(t, "close", p.close())
			}
		})
	}
}

// The package functions use the default pool.
func TestPackageFunctions(t *testing.T) {
	s, _ := machine(t)
	nodeDefault = NodePool{} // it may have been closed before
	v := rig.Must(ViewNode(1, s))
	if n := DefaultNodePool().Stats().Live; n != 1 || v.Len() != 32 {
		t.Errorf("%d blocks are live, %d items", n, v.Len())
	}
	rig.Check(t, "free", FreeNodeView(v))
	rig.Check(t, "close", DefaultNodePool().Close())
}

// Kernels in PTX read the head of a view: its layout does not change.
func TestLayout(t *testing.T) {
	s, _ := machine(t)
	p := new(NodePool)
	v := rig.Must(p.View(2000, s))
	head := make([]byte, 256)
	rig.Check(t, "read", cuda.CopyToHostAsync(head, v.Addr(), s))
	u64, u32 := binary.LittleEndian.Uint64, binary.LittleEndian.Uint32
	for what, n := range map[string][2]uint64{
		"base": {u64(head), uint64(v.Base())}, "distance": {u64(head[8:]), uint64(distance())}, "count": {uint64(u32(head[16:])), 2016}, "words": {uint64(u32(head[20:])), 63},
		"tops": {uint64(u32(head[24:])), 2}, "version": {uint64(u32(head[28:])), 1}, "counts": {u64(head[32:]), 256}, "bits": {u64(head[40:]), 8448},
		"top": {u64(head[48:]), 8704}, "free": {uint64(u32(head[128:])), 2016},
	} {
		if n[0] != n[1] {
			t.Errorf("%s: %d, want %d", what, n[0], n[1])
		}
	}
	rig.Check(t, "free", p.FreeView(v))
	rig.Check(t, "close", p.Close())
}

// In debug builds a write behind an item, and frees that were refused, are reported when the view ends. It ends nevertheless.
func TestDebugReportsMisuseInKernels(t *testing.T) {
	if !poolrt.Debug {
		t.Skip("without the tag pooldebug")
	}
	s, use := machine(t)
	p := new(NodePool)
	for what, misuse := range map[error]func(v NodeView){
		poolrt.ErrCorrupt:     func(v NodeView) { rig.Check(t, "write", cuda.MemsetAsync(v.At(7).Add(24), 1, 1, s)) },
		poolrt.ErrInvalidFree: func(v NodeView) { use(v.FixedView, func(d *sim.View) { d.Free(uint64(v.At(3))) }) },
	} {
		v := rig.Must(p.View(100, s))
		rig.Check(t, "write", cuda.MemsetAsync(v.At(7), 1, 24, s)) // all of an item may be written to
		rig.Check(t, "check", v.Check(s))
		misuse(v)
		rig.Check(t, "synchronize", s.Synchronize())
		if err := v.Check(s); errors.Is(err, poolrt.ErrCorrupt) != (what == poolrt.ErrCorrupt) {
			t.Errorf("check: %v", err)
		}
		rig.Refused(t, "FreeView", p.FreeView(v), what)
		if n := p.Stats().Live; n != 0 {
			t.Errorf("%d views are live", n)
		}
	}
	rig.Check(t, "close", p.Close())
}
