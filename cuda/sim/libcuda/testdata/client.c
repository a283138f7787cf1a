// A program with a binding of its own, which finds the functions of the driver as the CUDA runtime does: all of them by cuGetProcAddress. It ends with the
// number of the line of the first check that fails.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int (*function)();
static int (*find)(const char *, void **, int, uint64_t, int *);

// get finds a function, as it is in CUDA 12.
static function get(const char *name) {
	void *f = 0;
	return find(name, &f, 12000, 0, 0) ? 0 : (function)f;
}

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "client.c:%d: %s\n", __LINE__, #what); return 1; } } while (0)
#define CALL(name, ...) get(#name)(__VA_ARGS__)
#define OK(name, ...) CHECK(get(#name) && CALL(name, __VA_ARGS__) == 0)

static int names(void) {
	void *f = &f;
	int status = -1;
	CHECK(find("cuNothing", &f, 12000, 0, &status) == 500 && f == 0 && status == 1);
	CHECK(find("cuMemPoolCreate", &f, 11010, 0, &status) == 500 && f == 0 && status == 2);
	CHECK(find("cuMemAlloc", &f, 3010, 0, &status) == 0 && ((function)f)(0, 0) == 801 && status == 0); // the first form
	CHECK(find("cuMemAlloc", &f, 3020, 0, &status) == 0 && f == dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
	CHECK(find("cuLaunchKernel", &f, 12000, 0, &status) == 0 && ((function)f)() == 801);
	CHECK(find("cuStreamQuery", &f, 12000, 2, &status) == 801 && f == 0); // of default streams by thread
	CHECK(find(0, &f, 12000, 0, 0) == 1 && find("cuInit", 0, 12000, 0, 0) == 1);
	const char *text = 0;
	OK(cuGetErrorName, 2, &text);
	CHECK(!strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY"));
	const char *again = 0;
	OK(cuGetErrorName, 2, &again);
	CHECK(again == text);
	CHECK(CALL(cuGetErrorString, 123456, &text) == 1 && !text);
	return 0;
}

static int devices(void) {
	int n = 0, dev = -1, version = 0;
	OK(cuDriverGetVersion, &version);
	CHECK(version == 12010);
	OK(cuDeviceGetCount, &n);
	OK(cuDeviceGet, &dev, 1);
	CHECK(n == 2 && dev == 1 && CALL(cuDeviceGet, &dev, 2) == 101);
	char name[4] = {'x', 'x', 'x', 'x'};
	OK(cuDeviceGetName, name, 3, 0);
	CHECK(name[2] == 0 && name[3] == 'x');
	size_t bytes = 0;
	OK(cuDeviceTotalMem, &bytes, 0);
	CHECK(bytes == 16ull << 30);
	return 0;
}

static int contexts(void) {
	void *first = 0, *second = 0, *current = &current;
	OK(cuDevicePrimaryCtxRetain, &first, 0);
	OK(cuDevicePrimaryCtxRetain, &second, 1);
	uint64_t p = 0;
	CHECK(CALL(cuMemAlloc, &p, 8) == 201); // no context
	OK(cuCtxSetCurrent, first);
	OK(cuCtxPushCurrent, second);
	int dev = -1;
	OK(cuCtxGetDevice, &dev);
	CHECK(dev == 1);
	OK(cuCtxPopCurrent, &current);
	CHECK(current == second);
	OK(cuCtxGetCurrent, &current);
	CHECK(current == first);
	return 0;
}

static int called;
static void call(void *data) { called = (int)(intptr_t)data; }

static int work(void) {
	uint64_t p = 0;
	void *stream = 0, *event = 0, *pool = 0;
	char to[64], from[64] = "as it was";
	OK(cuStreamCreate, &stream, 1);
	OK(cuEventCreate, &event, 0);
	OK(cuDeviceGetDefaultMemPool, &pool, 0);
	OK(cuMemAllocFromPoolAsync, &p, (size_t)64, pool, stream);
	OK(cuMemcpyHtoDAsync, p, from, (size_t)64, stream);
	OK(cuMemcpyDtoHAsync, to, p, (size_t)64, stream);
	OK(cuLaunchHostFunc, stream, call, (void *)7);
	OK(cuEventRecord, event, stream);
	int polls = 0;
	while (CALL(cuEventQuery, event) == 600) CHECK(++polls < 10000); // streams advance while a program polls
	CHECK(called == 7 && !memcmp(to, from, 64));
	OK(cuMemFreeAsync, p, stream);
	OK(cuStreamSynchronize, stream);
	OK(cuEventDestroy, event);
	OK(cuStreamDestroy, stream);
	CHECK(CALL(cuMemAlloc, 0, (size_t)8) == 1 && CALL(cuStreamDestroy, stream) != 0);
	return 0;
}

static int host(void) {
	char *p = 0;
	OK(cuMemHostAlloc, &p, (size_t)4096, 0);
	memset(p, 1, 4096);
	uint64_t at = 0;
	OK(cuMemHostGetDevicePointer, &at, p, 0);
	OK(cuMemFreeHost, p);
	return 0;
}

struct { int32_t type, handles, location, id; uint64_t win32; uint32_t flags[2]; } props = {1, 0, 1, 0};
struct { int32_t location, id, flags; } access = {1, 0, 3};

static int virtual_memory(void) {
	size_t unit = 0;
	uint64_t at = 0, memory = 0;
	OK(cuMemGetAllocationGranularity, &unit, &props, 0);
	OK(cuMemAddressReserve, &at, unit, (size_t)0, (uint64_t)0, (uint64_t)0);
	OK(cuMemCreate, &memory, unit, &props, (uint64_t)0);
	OK(cuMemMap, at, unit, (size_t)0, memory, (uint64_t)0);
	OK(cuMemSetAccess, at, unit, &access, (size_t)1);
	OK(cuMemsetD8, at, 5, unit);
	unsigned char b = 0;
	OK(cuMemcpyDtoH, &b, at + unit - 1, (size_t)1);
	CHECK(b == 5);
	OK(cuMemUnmap, at, unit);
	OK(cuMemRelease, memory);
	OK(cuMemAddressFree, at, unit);
	return 0;
}

int main(int n, char **args) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	CHECK(library || !fprintf(stderr, "%s\n", dlerror()));
	find = (int (*)(const char *, void **, int, uint64_t, int *))dlsym(library, "cuGetProcAddress_v2");
	CHECK(find);
	int devices_now = 0;
	CHECK(CALL(cuDeviceGetCount, &devices_now) == 3); // not initialised
	OK(cuInit, 0);
	return names() || devices() || contexts() || work() || host() || virtual_memory();
}
