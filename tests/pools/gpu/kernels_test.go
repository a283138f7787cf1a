package gpu

import (
	"encoding/binary"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// source has two kernels over n bytes: fill sets them, verify counts those that differ. Both first wait for a number of clock cycles.
const source = `
.version 6.0
.target sm_50
.address_size 64

.visible .entry fill(.param .u64 at, .param .u64 n, .param .u32 value, .param .u32 clocks)
{
	.reg .pred %p;
	.reg .b32 %t<8>;
	.reg .b64 %a, %i, %n, %s, %x;
	ld.param.u64 %a, [at];
	ld.param.u64 %n, [n];
	ld.param.u32 %t0, [value];
	ld.param.u32 %t1, [clocks];
	cvta.to.global.u64 %a, %a;
	mov.u32 %t2, %clock;
wait:
	mov.u32 %t3, %clock;
	sub.u32 %t3, %t3, %t2;
	setp.lt.u32 %p, %t3, %t1;
	@%p bra wait;
	mov.u32 %t4, %ctaid.x;
	mov.u32 %t5, %ntid.x;
	mov.u32 %t6, %tid.x;
	mad.lo.u32 %t4, %t4, %t5, %t6;
	cvt.u64.u32 %i, %t4;
	mov.u32 %t7, %nctaid.x;
	mul.wide.u32 %s, %t7, %t5;
next:
	setp.ge.u64 %p, %i, %n;
	@%p ret;
	add.u64 %x, %a, %i;
	st.global.u8 [%x], %t0;
	add.u64 %i, %i, %s;
	bra next;
}

.visible .entry verify(.param .u64 at, .param .u64 n, .param .u32 value, .param .u32 clocks, .param .u64 wrong)
{
	.reg .pred %p;
	.reg .b32 %t<9>;
	.reg .b64 %a, %i, %n, %s, %x, %w;
	ld.param.u64 %a, [at];
	ld.param.u64 %n, [n];
	ld.param.u32 %t0, [value];
	ld.param.u32 %t1, [clocks];
	ld.param.u64 %w, [wrong];
	cvta.to.global.u64 %a, %a;
	cvta.to.global.u64 %w, %w;
	mov.u32 %t2, %clock;
wait:
	mov.u32 %t3, %clock;
	sub.u32 %t3, %t3, %t2;
	setp.lt.u32 %p, %t3, %t1;
	@%p bra wait;
	mov.u32 %t4, %ctaid.x;
	mov.u32 %t5, %ntid.x;
	mov.u32 %t6, %tid.x;
	mad.lo.u32 %t4, %t4, %t5, %t6;
	cvt.u64.u32 %i, %t4;
	mov.u32 %t7, %nctaid.x;
	mul.wide.u32 %s, %t7, %t5;
next:
	setp.ge.u64 %p, %i, %n;
	@%p ret;
	add.u64 %x, %a, %i;
	ld.global.u8 %t8, [%x];
	setp.eq.u32 %p, %t8, %t0;
	@%p bra same;
	red.global.add.u32 [%w], 1;
same:
	add.u64 %i, %i, %s;
	bra next;
}
`

// lab is a device with the kernels and a counter of errors.
type lab struct {
	testing.TB
	device                     cuda.Device
	fill, verify, own, inspect cuda.Kernel
	wrong                      cuda.DevicePtr
	clocks                     uint32
}

// newLab loads the kernels on a device; without a driver the test is skipped.
func newLab(t testing.TB, d cuda.Device) *lab {
	t.Helper()
	prepare(t)
	if err := cuda.Probe(); err != nil {
		t.Skip(err)
	}
	l := &lab{TB: t, device: d, clocks: 20_000}
	m, err := d.LoadModule([]byte(source + sourceOfOwners))
	l.ok("load", err)
	for name, k := range map[string]*cuda.Kernel{"fill": &l.fill, "verify": &l.verify, "own": &l.own, "inspect": &l.inspect} {
		*k, err = m.Kernel(name)
		l.ok(name, err)
	}
	l.wrong, err = d.Alloc(4)
	l.ok("alloc", err)
	l.ok("clear", cuda.CopyToDevice(l.wrong, make([]byte, 4))) // which, unlike Memset, is there before a stream begins
	t.Cleanup(func() {
		l.ok("synchronize", d.Synchronize())
		if n := l.errors(); n != 0 {
			t.Errorf("%d bytes or words differ from what their owner had written", n)
		}
		l.ok("free", d.Free(l.wrong))
		l.ok("unload", m.Close())
	})
	return l
}

func (l *lab) ok(what string, err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("%s: %v", what, err)
	}
}

// free returns the free memory of the device when no work is queued.
func (l *lab) free() int64 {
	l.ok("synchronize", l.device.Synchronize())
	n, _, err := l.device.MemInfo()
	l.ok("mem info", err)
	return n
}

// errors returns the number of bytes or words that were wrong so far.
func (l *lab) errors() uint32 {
	b := make([]byte, 4)
	l.ok("copy", cuda.CopyToHost(b, l.wrong))
	return binary.LittleEndian.Uint32(b)
}

// streams makes streams that are destroyed when the test ends.
func (l *lab) streams(n int) []cuda.Stream {
	var all []cuda.Stream
	for range n {
		s, err := l.device.NewStream(cuda.NonBlocking)
		l.ok("stream", err)
		all = append(all, s)
		l.Cleanup(func() { l.ok("close stream", s.Close()) })
	}
	return all
}
