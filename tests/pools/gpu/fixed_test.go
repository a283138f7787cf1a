package gpu

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

// fixedLab has kernels that allocate and free items of views.
type fixedLab struct {
	*lab
	hold, takeAll cuda.Kernel
	pool          *pools.NodePool
	stream        cuda.Stream
}

// newFixedLab loads the module that POOLGEN_FIXED_CUBIN names: testdata/fixed.cu states how it is built.
func newFixedLab(t *testing.T) *fixedLab {
	name := os.Getenv("POOLGEN_FIXED_CUBIN")
	if name == "" {
		t.Skip("POOLGEN_FIXED_CUBIN names no module: see testdata/fixed.cu")
	}
	module, err := os.ReadFile(name)
	fatal.If(t, err)
	l := &fixedLab{lab: newLab(t, 0)}
	m, err := l.device.LoadModule(module)
	l.ok("load", err)
	l.hold, err = m.Kernel("hold")
	l.ok("hold", err)
	l.takeAll, err = m.Kernel("takeAll")
	l.ok("takeAll", err)
	l.stream = l.streams(1)[0]
	l.pool, err = pools.NewNodePool()
	l.ok("pool", err)
	t.Cleanup(func() {
		l.ok("synchronize", l.device.Synchronize())
		l.ok("close", l.pool.Close())
		l.ok("close", m.Close())
	})
	return l
}

// memory allocates memory of a device that is zero.
func (l *fixedLab) memory(bytes int64) cuda.DevicePtr {
	l.Helper()
	p, err := l.device.Alloc(bytes)
	l.ok("alloc", err)
	l.Cleanup(func() { l.ok("free", l.device.Free(p)) })
	l.ok("memset", cuda.MemsetAsync(p, 0, bytes, l.stream))
	return p
}

// launch runs a kernel and waits for it.
func (l *fixedLab) launch(k cuda.Kernel, threads uint32, args ...any) {
	l.Helper()
	l.ok("launch", k.Launch(cuda.Config{Grid: [3]uint32{(threads + 255) / 256}, Block: [3]uint32{256}, Stream: l.stream}, args...))
	l.ok("synchronize", l.stream.Synchronize())
}

// Views that ViewNode made serve kernels at their limit: no item has two owners, and the host reads the same counts as the kernels have.
func TestFixedView(t *testing.T) {
	l := newFixedLab(t)
	for _, n := range []int{1, 1000, 100_000} {
		v, err := l.pool.View(n, l.stream)
		l.ok("view", err)
		owner, tally := l.memory(int64(4*v.Len())), l.memory(16)
		for range 3 {
			l.launch(l.hold, 65536, v.Addr(), owner, tally, uint32(40), uint32(65536))
		}
		sums := make([]byte, 16)
		l.ok("copy", cuda.CopyToHostAsync(sums, tally, l.stream))
		c, err := v.Counts(l.stream)
		l.ok("counts", err)
		if errors := binary.LittleEndian.Uint64(sums); errors != 0 || c.BadFrees != 0 || c.Live != 0 || c.Allocs != c.Frees || c.Failures != binary.LittleEndian.Uint64(sums[8:]) {
			t.Errorf("%d items: %d errors, %+v", v.Len(), errors, c)
		}
		l.ok("check", v.Check(l.stream))
		l.exhaust(v)
		l.ok("free", l.pool.FreeView(v))
	}
}

// exhaust has kernels allocate all items twice, with a Reset in between.
func (l *fixedLab) exhaust(v pools.NodeView) {
	l.Helper()
	threads := uint32(v.Len() + 1000)
	items, tally := l.memory(8*int64(threads)), l.memory(16)
	for range 2 {
		l.ok("reset", v.Reset(l.stream))
		l.launch(l.takeAll, threads, v.Addr(), items, tally, threads)
		c, err := v.Counts(l.stream)
		l.ok("counts", err)
		if want := (cuda.ViewCounts{Live: v.Len(), Allocs: uint64(v.Len()), Failures: 1000}); c != want {
			l.Errorf("%+v, want %+v", c, want)
		}
		live := 0
		l.ok("live", v.Live(l.stream, func(int) { live++ }))
		if live != v.Len() {
			l.Errorf("%d live items of %d", live, v.Len())
		}
		l.ok("check", v.Check(l.stream))
	}
}
