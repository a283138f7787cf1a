//go:build cgo && linux && (amd64 || arm64)

// Package nvtx reports ranges and marks to a profiler, if a profiler started the program: the environment variable
// NVTX_INJECTION64_PATH then names a library that fills in a table of function pointers. Without the variable, the package loads
// nothing and all functions do nothing. It is independent of the driver's table: tracing needs no driver.
package nvtx

// #cgo LDFLAGS: -ldl
// #cgo noescape mark
// #cgo nocallback mark
// #cgo noescape push
// #cgo nocallback push
// #cgo noescape name_stream
// #cgo nocallback name_stream
// #include <stdlib.h>
// #include "injection.h"
//
// static void mark(const uint8_t *text) {
//	if (poolgen_nvtx.core[MARK]) ((void (*)(const char *))poolgen_nvtx.core[MARK])((const char *)text);
// }
// static void push(const uint8_t *text) {
//	if (poolgen_nvtx.core[PUSH]) ((int (*)(const char *))poolgen_nvtx.core[PUSH])((const char *)text);
// }
// static void pop(void) {
//	if (poolgen_nvtx.core[POP]) ((int (*)(void))poolgen_nvtx.core[POP])();
// }
// static void name_stream(uintptr_t stream, const uint8_t *text) {
//	if (poolgen_nvtx.cuda[NAME_STREAM]) ((void (*)(uintptr_t, const char *))poolgen_nvtx.cuda[NAME_STREAM])(stream, (const char *)text);
// }
import "C"

import (
	"os"
	"sync"
	"unsafe"
)

// On reports whether a profiler listens. The first call looks for it; later ones take a nanosecond or two.
var On = sync.OnceValue(func() bool {
	path := os.Getenv("NVTX_INJECTION64_PATH")
	if path == "" {
		return false
	}
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return C.poolgen_nvtx_load(p) != 0
})

// Mark marks a point in time.
func Mark(text string) {
	if On() {
		C.mark(terminated(text))
	}
}

// Push begins a range on the calling thread.
func Push(text string) {
	if On() {
		C.push(terminated(text))
	}
}

// Pop ends the range that began last on the calling thread.
func Pop() {
	if On() {
		C.pop()
	}
}

// NameStream gives a stream a name in the profile.
func NameStream(handle uintptr, name string) {
	if On() {
		C.name_stream(C.uintptr_t(handle), terminated(name))
	}
}

func terminated(text string) *C.uint8_t {
	b := append([]byte(text), 0)
	return (*C.uint8_t)(&b[0])
}
