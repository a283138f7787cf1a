//go:build cgo && linux && (amd64 || arm64)

package native

// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <stdint.h>
// #include <stdlib.h>
// #include "table.h"
//
// static uintptr_t shared_open(const char *name, const char **why) {
//	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
//	if (!library) *why = dlerror();
//	return (uintptr_t)library;
// }
//
// static uintptr_t shared_symbol(uintptr_t library, const char *name) { return (uintptr_t)dlsym((void *)library, name); }
//
// static const char *shared_path(uintptr_t f) {
//	Dl_info where;
//	return dladdr((void *)f, &where) ? where.dli_fname : 0;
// }
//
// // All parameters are numbers or addresses, which are in registers or, beyond, in places of the stack that a function with fewer does not read.
// static int shared_call(uintptr_t f, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t g, uintptr_t h, uintptr_t i) {
//	return ((int (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))f)(a, b, c, d, e, g, h, i);
// }
//
// static number shared_call_in(uint64_t ctx, uintptr_t f, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t g, uintptr_t h, uintptr_t i) {
//	handle before = 0;
//	int r = poolgen_driver.cuCtxGetCurrent ? enter(H(ctx), &before) : NO_LIBRARY;
//	if (r) return (number){0, r};
//	int result = shared_call(f, a, b, c, d, e, g, h, i);
//	leave(H(ctx), before);
//	return (number){(uint64_t)(int64_t)result, r};
// }
//
// static const char *shared_text(uintptr_t f, int code) { return ((const char *(*)(uintptr_t))f)((uintptr_t)code); }
import "C"

import (
	"cmp"
	"errors"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// OpenShared opens a library by a path or a soname, or finds that the process has it.
func OpenShared(name string) (Shared, error) {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	var why *C.char
	h := C.shared_open(n, &why)
	if h == 0 {
		return Shared{}, errors.New(C.GoString(why))
	}
	return Shared{uintptr(h)}, nil
}

// Symbol returns the address of a function, 0 if the library has none of that name.
func (l Shared) Symbol(name string) uintptr {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	return uintptr(C.shared_symbol(C.uintptr_t(l.handle), n))
}

// SharedPath returns the path of the library that a function is in, or name if the loader does not say.
func SharedPath(f uintptr, name string) string {
	return cmp.Or(C.GoString(C.shared_path(C.uintptr_t(f))), name)
}

// arguments fills up arguments to as many as there may be.
func arguments(args []uintptr) (a [mostShared]C.uintptr_t) {
	for i, n := range args {
		a[i] = C.uintptr_t(n)
	}
	return a
}

// SharedCall calls a function whose parameters are numbers and addresses, at most 8, and whose result is an int.
func SharedCall(f uintptr, args ...uintptr) int32 {
	a := arguments(args)
	return int32(C.shared_call(C.uintptr_t(f), a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]))
}

// SharedCallIn is SharedCall in a context, which is current meanwhile. r says whether the driver made it so.
func SharedCallIn(ctx abi.Context, f uintptr, args ...uintptr) (result int32, r abi.Result) {
	a := arguments(args)
	o := C.shared_call_in(C.uint64_t(ctx), C.uintptr_t(f), a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
	return int32(o.value), abi.Result(o.result)
}

// SharedText calls a function that makes a text of a code. The text is not to be freed.
func SharedText(f uintptr, code int32) string {
	return C.GoString(C.shared_text(C.uintptr_t(f), C.int(code)))
}
