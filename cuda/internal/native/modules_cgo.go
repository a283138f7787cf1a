//go:build cgo && linux && (amd64 || arm64)

package native

// #cgo noescape module_launch
// #cgo nocallback module_launch
// #include <stdlib.h>
// #include <string.h>
// #include "table.h"
//
// #define ERROR_LOG 5
// #define ERROR_LOG_BYTES 6
// #define MOST_PARAMS 1024
//
// static number module_load(uint64_t ctx, const uint8_t *image, char *log, uint64_t space) {
//	int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
//	void *values[] = {log, (void *)(uintptr_t)space};
//	handle m = 0;
//	int r = IN(ctx, cuModuleLoadDataEx, &m, image, 2, options, values);
//	return (number){N(m), r};
// }
// static int module_unload(uint64_t ctx, uint64_t m) { return IN(ctx, cuModuleUnload, H(m)); }
// static number module_function(uint64_t ctx, uint64_t m, const uint8_t *name) {
//	handle f = 0;
//	int r = IN(ctx, cuModuleGetFunction, &f, H(m), (const char *)name);
//	return (number){N(f), r};
// }
//
// typedef struct { uint32_t grid[3], block[3], shared; } shape;
//
// // module_launch gets the arguments packed, and the offset of each: cgo could not pass an array of Go pointers.
// static int module_launch(uint64_t ctx, uint64_t f, shape k, uint64_t s, uint8_t *packed, const uint32_t *at, unsigned n) {
//	void *params[MOST_PARAMS];
//	if (n > MOST_PARAMS) return INVALID_VALUE;
//	for (unsigned i = 0; i < n; i++) params[i] = packed + at[i];
//	return IN(ctx, cuLaunchKernel, H(f), k.grid[0], k.grid[1], k.grid[2], k.block[0], k.block[1], k.block[2],
//		k.shared, H(s), n ? params : 0, 0);
// }
import "C"

import (
	"bytes"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// ModuleLoadData compiles PTX, or loads a binary for the device.
func (Driver) ModuleLoadData(ctx abi.Context, image []byte) (abi.Module, string, abi.Result) {
	text := append(bytes.Clone(image), 0) // PTX ends with a zero; a binary contains its length
	log := make([]byte, 8<<10)
	r := C.module_load(C.uint64_t(ctx), (*C.uint8_t)(&text[0]), (*C.char)(unsafe.Pointer(&log[0])), C.uint64_t(len(log)-1))
	end := bytes.IndexByte(log, 0)
	return abi.Module(r.value), string(log[:end]), abi.Result(r.result)
}

// ModuleUnload unloads the module and its kernels.
func (Driver) ModuleUnload(ctx abi.Context, m abi.Module) abi.Result {
	return abi.Result(C.module_unload(C.uint64_t(ctx), C.uint64_t(m)))
}

// ModuleGetFunction returns a kernel by its name in PTX.
func (Driver) ModuleGetFunction(ctx abi.Context, m abi.Module, name string) (abi.Function, abi.Result) {
	text := append([]byte(name), 0)
	r := C.module_function(C.uint64_t(ctx), C.uint64_t(m), (*C.uint8_t)(&text[0]))
	return abi.Function(r.value), abi.Result(r.result)
}

// most bounds the bytes of a kernel's arguments together; a launch within it allocates nothing.
const (
	most     = 4096
	mostArgs = 64
	align    = 16
)

// LaunchKernel copies the arguments: they may change after it has returned.
func (Driver) LaunchKernel(ctx abi.Context, f abi.Function, grid, block [3]uint32, shared uint32, s abi.Stream, params [][]byte) abi.Result {
	var room [most]byte
	var place [mostArgs]uint32
	packed, at := room[:0], place[:0]
	for _, p := range params {
		for len(packed)%align != 0 {
			packed = append(packed, 0)
		}
		at = append(at, uint32(len(packed)))
		packed = append(packed, p...)
	}
	k := C.shape{shared: C.uint32_t(shared)}
	for i := range grid {
		k.grid[i], k.block[i] = C.uint32_t(grid[i]), C.uint32_t(block[i])
	}
	return abi.Result(C.module_launch(C.uint64_t(ctx), C.uint64_t(f), k, C.uint64_t(s),
		(*C.uint8_t)(unsafe.SliceData(packed)), (*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(at))), C.uint(len(at))))
}
