//go:build gc && !race && !msan && !asan && !poolgen_noproc

#include "textflag.h"

// A g begins with the bounds of its stack. Go code has its g in R14.

// func frame() (at *link, low, high uintptr)
TEXT ·frame(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ BP, at+0(FP)
	MOVQ 0(R14), AX
	MOVQ AX, low+8(FP)
	MOVQ 8(R14), AX
	MOVQ AX, high+16(FP)
	RET

// func self() unsafe.Pointer
TEXT ·self(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ R14, ret+0(FP)
	RET
