//go:build gc && !race && !msan && !asan && !poolgen_noproc

#include "textflag.h"

// A g begins with the bounds of its stack.

// func frame() (at *link, low, high uintptr)
TEXT ·frame(SB), NOSPLIT|NOFRAME, $0-24
	MOVD R29, at+0(FP)
	MOVD 0(g), R0
	MOVD R0, low+8(FP)
	MOVD 8(g), R0
	MOVD R0, high+16(FP)
	RET

// func self() unsafe.Pointer
TEXT ·self(SB), NOSPLIT|NOFRAME, $0-8
	MOVD g, ret+0(FP)
	RET
