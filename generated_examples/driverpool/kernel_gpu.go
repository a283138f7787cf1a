//go:build !cudasim

package driverpool

// ptx adds n numbers. The driver compiles it for the device.
const ptx = `
.version 6.0
.target sm_50
.address_size 64

.visible .entry addVectors(.param .u64 sum, .param .u64 a, .param .u64 b, .param .u64 n)
{
	.reg .pred %p;
	.reg .b32 %t<4>;
	.reg .f32 %f<2>;
	.reg .b64 %a, %b, %c, %i, %n, %s, %x, %o;
	ld.param.u64 %c, [sum];
	ld.param.u64 %a, [a];
	ld.param.u64 %b, [b];
	ld.param.u64 %n, [n];
	cvta.to.global.u64 %a, %a;
	cvta.to.global.u64 %b, %b;
	cvta.to.global.u64 %c, %c;
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
	shl.b64 %o, %i, 2;
	add.u64 %x, %a, %o;
	ld.global.f32 %f0, [%x];
	add.u64 %x, %b, %o;
	ld.global.f32 %f1, [%x];
	add.f32 %f0, %f0, %f1;
	add.u64 %x, %c, %o;
	st.global.f32 [%x], %f0;
	add.u64 %i, %i, %s;
	bra next;
}
`

// source is what the driver loads.
func source() []byte { return []byte(ptx) }
