package cheader

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// includes are the system headers. NVRTC has none.
func includes(bools bool) string {
	text := "#ifndef __CUDACC_RTC__\n"
	if bools {
		text += "#include <stdbool.h>\n"
	}
	return text + "#include <stddef.h>\n#include <stdint.h>\n#endif\n"
}

// preamble defines, once for all headers, what C, C++ and NVRTC write in different ways. NVRTC has the operator __INTADDR__ for offsetof, and no
// <stdint.h>: programs may bring their own, as NVIDIA's libraries do.
const preamble = `#ifndef POOLGEN_STATIC_ASSERT
#ifdef __cplusplus
#define POOLGEN_STATIC_ASSERT static_assert
#define POOLGEN_ALIGNOF alignof
#define POOLGEN_ALIGNAS alignas
#else
#define POOLGEN_STATIC_ASSERT _Static_assert
#define POOLGEN_ALIGNOF _Alignof
#define POOLGEN_ALIGNAS _Alignas
#endif
#ifndef __CUDACC_RTC__
#define POOLGEN_OFFSETOF offsetof
#else
#define POOLGEN_OFFSETOF(type, member) ((size_t)__INTADDR__(&((type *)0)->member))
#ifndef UINT64_MAX // which a stdint.h of the program's would have defined
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#endif
#endif
#endif
`

// complexes declare Go's complex numbers: those of C and CUDA have another alignment, or none that all of C, C++ and CUDA share.
var complexes = map[types.BasicKind]string{
	types.Complex64:  "#ifndef POOLGEN_COMPLEX64\n#define POOLGEN_COMPLEX64\ntypedef struct poolgen_complex64 {\n\tfloat re, im;\n} poolgen_complex64;\n#endif\n",
	types.Complex128: "#ifndef POOLGEN_COMPLEX128\n#define POOLGEN_COMPLEX128\ntypedef struct poolgen_complex128 {\n\tdouble re, im;\n} poolgen_complex128;\n#endif\n",
}

// write writes the header that the builder has described.
func (b *builder) write(out *strings.Builder) {
	for _, kind := range slices.Sorted(maps.Keys(b.complex)) {
		fmt.Fprintf(out, "\n%s", complexes[kind])
	}
	for _, s := range b.structs {
		s.declare(out)
		s.assert(out)
	}
}

// declare writes the declaration of a struct.
func (s *structure) declare(out *strings.Builder) {
	fmt.Fprintf(out, "\n// %s\n#ifndef %s\n#define %s\ntypedef struct %s {\n", s.goName, s.guard, s.guard, s.name)
	for i, m := range s.members {
		align := ""
		if i == 0 && s.align > s.natural {
			align = fmt.Sprintf("POOLGEN_ALIGNAS(%d) ", s.align)
		}
		fmt.Fprintf(out, "\t%s%s %s%s;%s\n", align, m.typ.name, m.name, m.typ.lengths, m.remark())
	}
	fmt.Fprintf(out, "} %s;\n#endif\n", s.name)
}

// remark says what a member is in Go where its name does not.
func (m *member) remark() string {
	if m.goName == "" || m.goName == m.name {
		return ""
	}
	return " // " + m.goName
}

// assert writes the assertions on a struct. They are outside the guard and so check whichever declaration came first.
func (s *structure) assert(out *strings.Builder) {
	assertType(out, s.name, s.size, s.align)
	for _, m := range s.members {
		if m.goName != "" {
			fmt.Fprintf(out, "POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(%s, %s) == %d, \"%s.%s: offset\");\n", s.name, m.name, m.offset, s.name, m.name)
		}
	}
}

// assertType writes the assertions on a type as a whole.
func assertType(out *strings.Builder, name string, size, align int64) {
	fmt.Fprintf(out, "POOLGEN_STATIC_ASSERT(sizeof(%s) == %d, \"%s: size\");\n", name, size, name)
	fmt.Fprintf(out, "POOLGEN_STATIC_ASSERT(POOLGEN_ALIGNOF(%s) == %d, \"%s: alignment\");\n", name, align, name)
}
