//go:build !cudasim

package cuda_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// kernels are written by hand: fill sets n words to a value, and add puts the sum of the words a[i] and a struct's field into b[i].
const kernels = `
.version 6.0
.target sm_50
.address_size 64

.visible .entry fill(.param .u64 to, .param .u32 value, .param .u64 n)
{
	.reg .pred %p;
	.reg .b32 %t<3>, %v;
	.reg .b64 %i, %n, %a;
	mov.u32 %t0, %ctaid.x;
	mov.u32 %t1, %ntid.x;
	mov.u32 %t2, %tid.x;
	mad.lo.u32 %t0, %t0, %t1, %t2;
	cvt.u64.u32 %i, %t0;
	ld.param.u64 %n, [n];
	setp.ge.u64 %p, %i, %n;
	@%p ret;
	ld.param.u64 %a, [to];
	ld.param.u32 %v, [value];
	cvta.to.global.u64 %a, %a;
	shl.b64 %i, %i, 2;
	add.u64 %a, %a, %i;
	st.global.u32 [%a], %v;
	ret;
}

.visible .entry add(.param .u64 from, .param .u64 to, .param .align 8 .b8 pair[16])
{
	.reg .b32 %i, %x, %y;
	.reg .b64 %a, %b, %o;
	mov.u32 %i, %tid.x;
	mul.wide.u32 %o, %i, 4;
	ld.param.u64 %a, [from];
	ld.param.u64 %b, [to];
	cvta.to.global.u64 %a, %a;
	cvta.to.global.u64 %b, %b;
	add.u64 %a, %a, %o;
	add.u64 %b, %b, %o;
	ld.global.u32 %x, [%a];
	ld.param.u32 %y, [pair+8];
	add.u32 %x, %x, %y;
	st.global.u32 [%b], %x;
	ret;
}
`

func TestKernels(t *testing.T) {
	d := device0(t)
	m := must(d.LoadModule([]byte(kernels)))(t)
	fill, add := must(m.Kernel("fill"))(t), must(m.Kernel("add"))(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	const n = 1000
	p := must(d.Alloc(4 * n))(t)
	q := must(d.Alloc(4 * 256))(t)
	ok(t, fill.Launch(cuda.Config{Grid: [3]uint32{4}, Block: [3]uint32{256}, Stream: s}, p, int32(40), uint64(n)))
	type pair struct {
		unused uint64
		value  uint32
	}
	ok(t, add.Launch(cuda.Config{Block: [3]uint32{256}, Stream: s}, p, q, pair{1, 2}))
	got := make([]byte, 4*256)
	ok(t, cuda.CopyToHostAsync(got, q, s))
	for i := 0; i < len(got); i += 4 {
		if v := binary.LittleEndian.Uint32(got[i:]); v != 42 {
			t.Fatalf("word %d is %d", i/4, v)
		}
	}
	if err := fill.Launch(cuda.Config{Stream: s}, "text"); err == nil {
		t.Error("a string was taken as an argument")
	}
	if _, err := m.Kernel("missing"); codeOf(err) != cuda.ResultNotFound {
		t.Errorf("a kernel that is not there: %v", err)
	}
	for _, err := range []error{m.Close(), s.Close(), d.Free(p), d.Free(q)} {
		ok(t, err)
	}
}

func TestCompilerLog(t *testing.T) {
	d := device0(t)
	_, err := d.LoadModule([]byte(strings.Replace(kernels, "shl.b64", "nonsense.b64", 1)))
	if e := new(cuda.Error); !errors.As(err, &e) || !strings.Contains(e.Detail, "nonsense") {
		t.Errorf("the error does not have the compiler's words: %v", err)
	}
}
