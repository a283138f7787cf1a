//go:build !cudasim

package main

// ptx has two kernels. The driver compiles it for the device.
//
// look has a thread for each pixel. Of the threads that see the same page, the one that is first to put the frame's number into seen appends the
// page to the list of misses or to that of hits, if there is room.
//
// note has a thread for each change of a list, which says whether a page is there.
const ptx = `
.version 6.0
.target sm_50
.address_size 64

.visible .entry look(.param .u64 sampler, .param .u64 there, .param .u64 seen, .param .u64 list,
	.param .u32 misses, .param .u32 hits, .param .u32 frame, .param .u32 x, .param .u32 y, .param .u32 step, .param .u32 width, .param .u32 pixels)
{
	.reg .pred %p, %q;
	.reg .b32 %t<3>;
	.reg .b32 %i, %n, %x, %y, %step, %first, %columns, %rows, %shift, %page, %was, %hit;
	.reg .b64 %sampler, %there, %seen, %list, %at;
	mov.u32 %t0, %ctaid.x;
	mov.u32 %t1, %ntid.x;
	mov.u32 %t2, %tid.x;
	mad.lo.u32 %i, %t0, %t1, %t2;
	ld.param.u32 %n, [pixels];
	setp.ge.u32 %p, %i, %n;
	@%p ret;

	// the texel
	ld.param.u32 %t0, [width];
	ld.param.u32 %x, [x];
	ld.param.u32 %y, [y];
	ld.param.u32 %step, [step];
	rem.u32 %t1, %i, %t0;
	div.u32 %t2, %i, %t0;
	mad.lo.u32 %x, %t1, %step, %x;
	mad.lo.u32 %y, %t2, %step, %y;

	// the page
	ld.param.u64 %sampler, [sampler];
	cvta.to.global.u64 %sampler, %sampler;
	ld.global.u32 %first, [%sampler];
	ld.global.u32 %columns, [%sampler+4];
	ld.global.u32 %rows, [%sampler+8];
	ld.global.u32 %shift, [%sampler+12];
	shr.u32 %x, %x, %shift;
	shr.u32 %y, %y, %shift;
	rem.u32 %x, %x, %columns;
	rem.u32 %y, %y, %rows;
	mad.lo.u32 %page, %y, %columns, %x;
	add.u32 %page, %page, %first;

	// once a frame
	ld.param.u64 %seen, [seen];
	cvta.to.global.u64 %seen, %seen;
	mul.wide.u32 %at, %page, 4;
	add.u64 %seen, %seen, %at;
	ld.param.u32 %t0, [frame];
	atom.global.exch.b32 %was, [%seen], %t0;
	setp.eq.u32 %p, %was, %t0;
	@%p ret;

	// the list: a miss counts in the first number and is kept behind the second, a hit counts in the second and is kept behind the misses
	ld.param.u64 %there, [there];
	cvta.to.global.u64 %there, %there;
	add.u64 %there, %there, %at;
	ld.global.u32 %hit, [%there];
	ld.param.u64 %list, [list];
	cvta.to.global.u64 %list, %list;
	mul.wide.u32 %at, %hit, 4;
	add.u64 %at, %list, %at;
	atom.global.add.u32 %t0, [%at], 1;
	ld.param.u32 %t1, [misses];
	ld.param.u32 %t2, [hits];
	setp.eq.u32 %q, %hit, 0;
	selp.u32 %t2, %t1, %t2, %q;
	setp.ge.u32 %p, %t0, %t2;
	@%p ret;
	mad.lo.u32 %t0, %hit, %t1, %t0;
	mul.wide.u32 %at, %t0, 4;
	add.u64 %list, %list, %at;
	st.global.u32 [%list+8], %page;
	ret;
}

.visible .entry note(.param .u64 there, .param .u64 list, .param .u32 changes)
{
	.reg .pred %p;
	.reg .b32 %t<3>;
	.reg .b32 %i, %n, %change, %page;
	.reg .b64 %there, %list, %at;
	mov.u32 %t0, %ctaid.x;
	mov.u32 %t1, %ntid.x;
	mov.u32 %t2, %tid.x;
	mad.lo.u32 %i, %t0, %t1, %t2;
	ld.param.u32 %n, [changes];
	setp.ge.u32 %p, %i, %n;
	@%p ret;
	ld.param.u64 %list, [list];
	cvta.to.global.u64 %list, %list;
	mul.wide.u32 %at, %i, 4;
	add.u64 %list, %list, %at;
	ld.global.u32 %change, [%list];
	shr.u32 %page, %change, 1;
	and.b32 %change, %change, 1;
	ld.param.u64 %there, [there];
	cvta.to.global.u64 %there, %there;
	mul.wide.u32 %at, %page, 4;
	add.u64 %there, %there, %at;
	st.global.u32 [%there], %change;
	ret;
}
`

// source is what the driver loads.
func source() []byte { return []byte(ptx) }
