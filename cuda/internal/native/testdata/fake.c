// A driver of a few functions for tests of the loader: contexts belong to threads, and everything that wants a context notes
// whether the right one was current. The variable FAKE_INIT of the environment is what cuInit returns. Switches of the compiler take functions away:
//   -DNO_STREAMS     without cuStreamCreateWithPriority, which is required
//   -DNO_POOLS       without the functions of memory pools, which are optional

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../layout.h"

typedef void *handle;
typedef uint64_t address;

#define DEVICES 2
#define INVALID_CONTEXT 201

static __thread handle current;
static char contexts[DEVICES];

// Memory of device d begins at (d+1)<<40: an address shows its device.
static int wrong; // calls in a context of another device than their argument's; attribute 199 returns their number
static uint64_t next[DEVICES];

static int device_of(handle ctx) {
	for (int d = 0; d < DEVICES; d++)
		if (ctx == &contexts[d]) return d;
	return -1;
}

// here checks that a context is current.
#define HERE if (device_of(current) < 0) return INVALID_CONTEXT

// with checks that the context of an address is current.
static int with(address p) {
	HERE;
	if ((int)(p >> 40) - 1 != device_of(current)) __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
	return 0;
}

int cuInit(unsigned flags) {
	const char *code = getenv("FAKE_INIT");
	return flags ? 1 : code ? atoi(code) : 0;
}
int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
int cuGetErrorName(int code, const char **text) { *text = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : 0; return *text ? 0 : 1; }
int cuGetErrorString(int code, const char **text) { *text = code == 0 ? 0 : "the fake's words"; return *text ? 0 : 1; }

int cuDeviceGet(int *dev, int ordinal) { *dev = ordinal; return ordinal < 0 || ordinal >= DEVICES ? 101 : 0; }
int cuDeviceGetCount(int *n) { *n = DEVICES; return 0; }
int cuDeviceGetName(char *text, int space, int dev) { strncpy(text, "Fake", space); return 0; }
int cuDeviceGetUuid(uint8_t *uuid, int dev) { memset(uuid, 0x40 + dev, 16); return 0; } // no _v2
int cuDeviceTotalMem_v2(size_t *bytes, int dev) { *bytes = 1ull << 34; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int dev) {
	*value = attribute == 199 ? __atomic_load_n(&wrong, __ATOMIC_SEQ_CST) : attribute;
	return attribute > 200 ? 1 : 0;
}
int cuDevicePrimaryCtxRetain(handle *ctx, int dev) { *ctx = &contexts[dev]; return 0; }
int cuDevicePrimaryCtxRelease_v2(int dev) { return 0; }
int cuCtxGetCurrent(handle *ctx) { *ctx = current; return 0; }
int cuCtxSetCurrent(handle ctx) {
	if (ctx && device_of(ctx) < 0) return INVALID_CONTEXT;
	current = ctx;
	return 0;
}
int cuCtxGetDevice(int *dev) { HERE; *dev = device_of(current); return 0; }
int cuCtxSynchronize(void) { HERE; return 0; }

int cuMemGetInfo_v2(size_t *free, size_t *total) { HERE; *free = 1 << 30; *total = 1ull << 34; return 0; }
int cuMemAlloc_v2(address *p, size_t bytes) {
	HERE;
	if (bytes > 1ull << 34) return 2;
	int d = device_of(current);
	*p = ((uint64_t)(d + 1) << 40) + __atomic_fetch_add(&next[d], bytes, __ATOMIC_SEQ_CST);
	return 0;
}
int cuMemFree_v2(address p) { return with(p); }
int cuMemHostAlloc(void **p, size_t bytes, unsigned flags) { HERE; return 2; }
int cuMemFreeHost(void *p) { HERE; return 1; }

#ifndef NO_STREAMS
int cuStreamCreateWithPriority(handle *s, unsigned flags, int priority) {
	HERE;
	*s = (handle)(uintptr_t)(0x100 + device_of(current));
	return 0;
}
#endif
int cuStreamDestroy_v2(handle s) { HERE; return 0; }
int cuStreamQuery(handle s) { HERE; return 600; }
int cuStreamSynchronize(handle s) { HERE; return 0; }
int cuStreamWaitEvent(handle s, handle e, unsigned flags) { HERE; return 0; }
int cuEventCreate(handle *e, unsigned flags) { HERE; *e = (handle)0x200; return 0; }
int cuEventDestroy_v2(handle e) { HERE; return 0; }
int cuEventRecord(handle e, handle s) { HERE; return 0; }
int cuEventQuery(handle e) { HERE; return 0; }
int cuEventSynchronize(handle e) { HERE; return 0; }

int cuMemcpyHtoD_v2(address to, const void *from, size_t n) { return with(to); }
int cuMemcpyDtoH_v2(void *to, address from, size_t n) { memset(to, 0x5A, n); return with(from); }
int cuMemcpyDtoD_v2(address to, address from, size_t n) { return with(to); }
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t n, handle s) { return with(to); }
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t n, handle s) { return with(from); }
int cuMemcpyDtoDAsync_v2(address to, address from, size_t n, handle s) { return with(to); }
int cuMemsetD8_v2(address at, uint8_t value, size_t n) { return with(at); }
int cuMemsetD8Async(address at, uint8_t value, size_t n, handle s) { return with(at); }
int cuMemsetD32Async(address at, uint32_t value, size_t n, handle s) { return with(at); }

// Host functions are called by a thread of the driver, at once; the call with stream 13 fails.
struct host_call { void (*f)(void *); void *data; };
static void *host_thread(void *p) {
	struct host_call c = *(struct host_call *)p;
	c.f(c.data);
	return 0;
}
int cuLaunchHostFunc(handle s, void (*f)(void *), void *data) {
	HERE;
	if (s == (handle)13) return 999;
	struct host_call c = {f, data};
	pthread_t t;
	if (pthread_create(&t, 0, host_thread, &c)) return 2;
	return pthread_join(t, 0) ? 2 : 0;
}

static unsigned context_flags[DEVICES];
int cuDevicePrimaryCtxSetFlags_v2(int dev, unsigned flags) { context_flags[dev] = flags; return 0; }
int cuDevicePrimaryCtxGetState(int dev, unsigned *flags, int *active) { *flags = context_flags[dev]; *active = 1; return 0; }

int cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags) { HERE; return bytes == 64 && flags == 3 ? 0 : 1; }
int cuMemHostUnregister(void *p) { HERE; return 713; }

int cuGraphInstantiateWithFlags(handle *ready, handle graph, uint64_t flags) { HERE; *ready = (char *)graph + 1; return flags ? 1 : 0; }
int cuGraphLaunch(handle ready, handle s) { HERE; return ready == (handle)0x401 ? 0 : 400; }
int cuGraphExecDestroy(handle ready) { HERE; return ready == (handle)0x401 ? 0 : 400; }

// The streams 9 to 11 are captured. The next work of 9 follows two nodes, the first behind an edge of another type, that of 10 the first of them, and that of 11 the
// second; node 0x70 has three dependencies, likewise.
static const handle front[] = {(handle)0x71, (handle)0x72, (handle)0x73};
static const struct edge edges[] = {{0, 0, 1}, {0, 0, 0}, {0, 0, 0}};
int cuStreamGetCaptureInfo_v2(handle s, int *status, uint64_t *id, handle *graph, const handle **nodes, size_t *n) {
	HERE;
	size_t stream = (size_t)s;
	*status = stream >= 9 && stream <= 11, *id = 5, *nodes = front + (stream == 11), *n = stream == 9 ? 2 : 1;
	return 0;
}
int cuStreamGetCaptureInfo_v3(handle s, int *status, uint64_t *id, handle *graph, const handle **nodes, const struct edge **e, size_t *n) {
	*e = edges + (s == (handle)11);
	return cuStreamGetCaptureInfo_v2(s, status, id, graph, nodes, n);
}
int cuGraphNodeGetDependencies_v2(handle node, handle *nodes, struct edge *e, size_t *n) {
	for (size_t i = 0; nodes && i < *n && i < 3; i++) nodes[i] = front[i], e[i] = edges[i];
	if (!nodes || *n > 3) *n = 3;
	return node == (handle)0x70 ? 0 : 400;
}

// The only object ends with its reference, whoever has it: the graph 0x400 at once.
static struct { void (*end)(void *); void *data; } object;
int cuUserObjectCreate(handle *o, void *data, void (*end)(void *), unsigned references, unsigned flags) {
	object.end = end, object.data = data, *o = (handle)0x80;
	return references == 1 && flags == 1 ? 0 : 1;
}
int cuUserObjectRelease(handle o, unsigned references) {
	if (o != (handle)0x80 || references != 1) return 400;
	object.end(object.data);
	return 0;
}
int cuGraphRetainUserObject(handle g, handle o, unsigned references, unsigned flags) {
	if (g != (handle)0x400 || flags != 1) return 400;
	return cuUserObjectRelease(o, references);
}

int cuModuleGetGlobal_v2(address *p, size_t *bytes, handle module, const char *name) {
	HERE;
	*p = 1ull << 40, *bytes = strlen(name);
	return 0;
}
static int func_attributes[10];
int cuFuncGetAttribute(int *value, int attribute, handle f) { HERE; *value = func_attributes[attribute]; return 0; }
int cuFuncSetAttribute(handle f, int attribute, int value) { HERE; func_attributes[attribute] = value; return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, handle f, int block, size_t shared) {
	HERE;
	*blocks = block + (int)shared;
	return 0;
}
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, handle f, size_t (*shared_of)(int), size_t shared, int limit) {
	HERE;
	*grid = (int)shared, *block = limit;
	return shared_of ? 1 : 0;
}

#ifndef NO_POOLS
// The figures of the only pool, each as wide as the driver's: memory after a narrow one must not change.
static int narrow[4];
static uint64_t wide[9];

int cuMemPoolCreate(handle *pool, const struct pool_props *p) {
	if (p->type != 1 || p->location.type != 1 || p->usage || p->security) return 1;
	wide[8] = p->max_size;
	*pool = (handle)0x300;
	return 0;
}
int cuMemPoolDestroy(handle pool) { return 0; }
int cuMemPoolGetAttribute(handle pool, int a, void *value) {
	if (a <= 3) *(int *)value = narrow[a];
	else *(uint64_t *)value = wide[a];
	return 0;
}
int cuMemPoolSetAttribute(handle pool, int a, void *value) {
	if (a <= 3) narrow[a] = *(int *)value;
	else wide[a] = *(uint64_t *)value;
	return 0;
}
#endif

// What the driver would do with a launch: the sum of the bytes of three arguments of 1, 8 and 4 bytes.
int cuLaunchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
	handle s, void **params, void **extra) {
	HERE;
	if (extra || gx != 1 || gz != 3 || by != 5 || shared != 7) return 1;
	return *(uint8_t *)params[0] + (int)*(uint64_t *)params[1] + (int)*(uint32_t *)params[2];
}
