//go:build !cudasim

package gpu

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// sourceOfShared has a kernel that puts the second word of a variable at an offset of its dynamic shared memory, reads it there, and writes it to a
// place in global memory.
const sourceOfShared = `
.version 6.0
.target sm_50
.address_size 64

.extern .shared .align 4 .b8 room[];
.visible .global .align 4 .u32 table[3] = {5, 6, 7};

.visible .entry through(.param .u64 to, .param .u32 offset)
{
	.reg .b32 %o, %r, %v;
	.reg .b64 %a;
	ld.param.u64 %a, [to];
	ld.param.u32 %o, [offset];
	cvta.to.global.u64 %a, %a;
	mov.u32 %r, room;
	add.u32 %o, %o, %r;
	ld.global.u32 %v, [table+4];
	st.volatile.shared.u32 [%o], %v;
	ld.volatile.shared.u32 %v, [%o];
	st.global.u32 [%a], %v;
	ret;
}
`

// through loads the kernel and its module.
func (l *lab) through() (cuda.Module, cuda.Kernel) {
	l.Helper()
	m, err := l.device.LoadModule([]byte(sourceOfShared))
	l.ok("load", err)
	k, err := m.Kernel("through")
	l.ok("kernel", err)
	l.Cleanup(func() { l.ok("unload", m.Close()) })
	return m, k
}

func (l *lab) attribute(a cuda.Attribute) int {
	l.Helper()
	n, err := l.device.Attribute(a)
	l.ok("attribute", err)
	return n
}

// A kernel uses the last word of all the shared memory that the device has for a block.
func TestKernelWithDynamicSharedMemory(t *testing.T) {
	l := newLab(t, 0)
	_, k := l.through()
	s, most := l.streams(1)[0], l.attribute(cuda.MaxSharedPerBlockOptin)
	if most <= 48<<10 {
		t.Skipf("the device has %d bytes for a block", most)
	}
	out, err := l.device.Alloc(4)
	l.ok("alloc", err)
	launch := func() error {
		return k.Launch(cuda.Config{Shared: uint32(most), Stream: s}, out, uint32(most-4))
	}
	if e := new(cuda.Error); !errors.As(launch(), &e) || e.Code != cuda.ResultInvalidValue {
		t.Errorf("%d bytes without the attribute: %v", most, e)
	}
	if err := k.SetAttribute(cuda.KernelMaxDynamicBytes, most+1); err == nil {
		t.Error("more than the device has")
	}
	l.ok("set attribute", k.SetAttribute(cuda.KernelMaxDynamicBytes, most))
	if n, err := k.Attribute(cuda.KernelMaxDynamicBytes); n != most || err != nil {
		t.Errorf("the attribute is %d, %v", n, err)
	}
	l.ok("launch", launch())
	l.ok("synchronize", s.Synchronize())
	got := make([]uint32, 1)
	l.ok("copy", cuda.CopyToHost(got, out))
	if got[0] != 6 {
		t.Errorf("the kernel wrote %d", got[0])
	}
	l.ok("free", l.device.Free(out))
}

// A variable of a module has its initial value, and kernels see what copies write to it.
func TestGlobalOfModule(t *testing.T) {
	l := newLab(t, 0)
	m, k := l.through()
	p, bytes, err := m.Global("table")
	l.ok("global", err)
	if bytes != 12 {
		t.Fatalf("%d bytes", bytes)
	}
	got := make([]uint32, 3)
	l.ok("copy", cuda.CopyToHost(got, p))
	if !slices.Equal(got, []uint32{5, 6, 7}) {
		t.Errorf("at first %v", got)
	}
	l.ok("copy", cuda.CopyToDevice(p, []uint32{1, 9, 3}))
	s := l.streams(1)[0]
	l.ok("launch", k.Launch(cuda.Config{Shared: 4, Stream: s}, p, uint32(0)))
	l.ok("synchronize", s.Synchronize())
	l.ok("copy", cuda.CopyToHost(got, p))
	if !slices.Equal(got, []uint32{9, 9, 3}) {
		t.Errorf("after the kernel %v", got)
	}
	var e *cuda.Error
	if _, _, err := m.Global("missing"); !errors.As(err, &e) || e.Code != cuda.ResultNotFound {
		t.Errorf("missing: %v", err)
	}
}

func TestOccupancyOfKernel(t *testing.T) {
	l := newLab(t, 0)
	grid, threads, err := l.fill.MaxPotentialBlockSize(0, 0)
	l.ok("block size", err)
	blocks, err := l.fill.MaxActiveBlocks(threads, 0)
	l.ok("active blocks", err)
	t.Logf("%d blocks of %d threads, %d for each multiprocessor", grid, threads, blocks)
	if threads < 32 || threads > l.attribute(cuda.MaxThreadsPerBlock) || blocks < 1 || grid != blocks*l.attribute(cuda.Multiprocessors) {
		t.Error("figures make no sense")
	}
	if _, threads, err := l.fill.MaxPotentialBlockSize(0, 64); threads > 64 || err != nil {
		t.Errorf("at most 64: %d, %v", threads, err)
	}
}

// An instantiated graph of kernels runs a thousand times, and host functions count the runs in order.
func TestGraphOfKernelsManyTimes(t *testing.T) {
	const runs, bytes = 1000, 64 << 10
	l := newLab(t, 0)
	l.clocks = 100
	s := l.streams(1)[0]
	p, err := l.device.Alloc(bytes)
	l.ok("alloc", err)
	l.ok("capture", s.BeginCapture())
	l.write(p, bytes, 3, s)
	l.expect(p, bytes, 3, s)
	g, err := s.EndCapture()
	l.ok("capture", err)
	e, err := g.Instantiate()
	l.ok("instantiate", err)
	l.ok("close graph", g.Close())
	var order atomic.Int32
	for i := range int32(runs) {
		l.ok("memset", cuda.MemsetAsync(p, 4, bytes, s))
		l.ok("launch", e.Launch(s))
		l.ok("host function", s.LaunchHostFunc(func() {
			if !order.CompareAndSwap(i, i+1) {
				t.Errorf("run %d ended out of order", i)
			}
		}))
	}
	l.ok("synchronize", s.Synchronize())
	if n := order.Load(); n != runs {
		t.Errorf("%d runs", n)
	}
	l.ok("close", e.Close())
	l.ok("free", l.device.Free(p))
}
