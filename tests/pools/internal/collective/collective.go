//go:build cgo && linux

// Package collective calls collectives of NCCL from C, in loops, as a program in C would: benchmarks compare package nccl with it.
package collective

// #cgo LDFLAGS: -ldl
// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <stdint.h>
// #include <stdlib.h>
// #include <time.h>
//
// typedef int (*reduce)(const void *, void *, size_t, int, int, void *, void *);
// typedef int (*gather)(const void *, void *, size_t, int, void *, void *);
// typedef int (*wait)(void *);
//
// static double seconds(void) {
//	struct timespec t;
//	clock_gettime(CLOCK_MONOTONIC, &t);
//	return t.tv_sec + t.tv_nsec * 1e-9;
// }
//
// // loop makes n calls, each with its wait or all with one, and returns the time of all, or -1.
// static double loop(const char *library, int gathers, uint64_t src, uint64_t dst, size_t items, uintptr_t context, uintptr_t comm, uintptr_t stream, int n, int each) {
//	void *nccl = dlopen(library, RTLD_NOW), *cuda = dlopen("libcuda.so.1", RTLD_NOW);
//	if (!nccl || !cuda) return -1;
//	reduce all_reduce = (reduce)dlsym(nccl, "ncclAllReduce");
//	gather all_gather = (gather)dlsym(nccl, "ncclAllGather");
//	wait synchronize = (wait)dlsym(cuda, "cuStreamSynchronize"), make_current = (wait)dlsym(cuda, "cuCtxSetCurrent");
//	if (!all_reduce || !all_gather || !synchronize || !make_current || make_current((void *)context)) return -1;
//	const void *from = (const void *)src;
//	void *to = (void *)dst, *c = (void *)comm, *s = (void *)stream;
//	enum { FLOAT = 7, SUM = 0 };
//	double start = seconds();
//	for (int i = 0; i < n; i++) {
//		int r = gathers ? all_gather(from, to, items, FLOAT, c, s) : all_reduce(from, to, items, FLOAT, SUM, c, s);
//		if (r || (each && synchronize(s))) return -1;
//	}
//	if (synchronize(s)) return -1;
//	start = seconds() - start;
//	make_current(0);
//	return start;
// }
import "C"

import (
	"time"
	"unsafe"
)

// Call is a collective over numbers of type float.
type Call struct {
	Library  string // the path of NCCL's
	Gather   bool   // else all-reduce
	Src, Dst uint64
	Items    int

	Context, Comm, Stream uintptr
}

// Loop makes n calls, each with a wait for the stream or all with one, and returns the time of all. ok is false if a call failed.
func (c Call) Loop(n int, each bool) (all time.Duration, ok bool) {
	library := C.CString(c.Library)
	defer C.free(unsafe.Pointer(library))
	flag := map[bool]C.int{true: 1}
	s := C.loop(library, flag[c.Gather], C.uint64_t(c.Src), C.uint64_t(c.Dst), C.size_t(c.Items),
		C.uintptr_t(c.Context), C.uintptr_t(c.Comm), C.uintptr_t(c.Stream), C.int(n), flag[each])
	return time.Duration(float64(s) * float64(time.Second)), s >= 0
}
