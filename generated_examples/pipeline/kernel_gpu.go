//go:build !cudasim

package pipeline

// ptx multiplies n numbers by a factor. The driver compiles it for the device.
const ptx = `
.version 6.0
.target sm_50
.address_size 64

.visible .entry scale(.param .u64 at, .param .u64 n, .param .f32 factor)
{
	.reg .pred %p;
	.reg .b32 %t<4>;
	.reg .f32 %f<2>;
	.reg .b64 %a, %i, %n, %s, %x;
	ld.param.u64 %a, [at];
	ld.param.u64 %n, [n];
	ld.param.f32 %f0, [factor];
	cvta.to.global.u64 %a, %a;
	mov.u32 %t0, %ctaid.x;
	mov.u32 %t1, %ntid.x;
	mov.u32 %t2, %tid.x;
	mad.lo.u32 %t2, %t0, %t1, %t2;
	cvt.u64.u32 %i, %t2;
	mov.u32 %t3, %nctaid.x;
	mul.wide.u32 %s, %t3, %t1;
next:
	setp.ge.u64 %p, %i, %n;
	@%p ret;
	shl.b64 %x, %i, 2;
	add.u64 %x, %a, %x;
	ld.global.f32 %f1, [%x];
	mul.f32 %f1, %f1, %f0;
	st.global.f32 [%x], %f1;
	add.u64 %i, %i, %s;
	bra next;
}
`

// source is what the driver loads.
func source() []byte { return []byte(ptx) }
