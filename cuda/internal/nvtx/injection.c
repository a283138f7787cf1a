// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

#include "injection.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct poolgen_nvtx poolgen_nvtx;

#define VERSION 3

enum { MODULE_CORE = 1, MODULE_CUDA, MODULE_OPENCL, MODULE_CUDART, MODULE_CORE2, MODULE_SYNC, MODULES };
enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3 };
enum { MOST = 17 }; // functions of a module, and a last 0

// The number of functions of each module, including the unused number 0.
static const unsigned sizes[MODULES] = {0, CORE_FUNCTIONS, CUDA_FUNCTIONS, 15, 7, 16, 7};
static function *tables[MODULES][MOST];

static function *places(int module) {
	switch (module) {
	case MODULE_CORE: return poolgen_nvtx.core;
	case MODULE_CUDA: return poolgen_nvtx.cuda;
	default: return poolgen_nvtx.other;
	}
}

static int get_table(int module, function ***table, unsigned *size) {
	if (module < MODULE_CORE || module >= MODULES) return 0;
	if (size) *size = sizes[module];
	if (table) *table = tables[module];
	return 1;
}

static void set_version(uint32_t version) { (void)version; }

static const struct {
	size_t size;
	int (*get)(int, function ***, unsigned *);
} callbacks = {sizeof callbacks, get_table};

static const struct {
	size_t size;
	uint32_t version, reserved;
	void (*set)(uint32_t);
} version_info = {sizeof version_info, VERSION, 0, set_version};

static const void *export_table(uint32_t id) {
	switch (id) {
	case TABLE_CALLBACKS: return &callbacks;
	case TABLE_VERSION: return &version_info;
	default: return 0;
	}
}

int poolgen_nvtx_load(const char *path) {
	for (int m = MODULE_CORE; m < MODULES; m++)
		for (unsigned i = 1; i < sizes[m]; i++) tables[m][i] = &places(m)[i];
	void *library = dlopen(path, RTLD_LAZY);
	if (!library) return 0;
	int (*start)(const void *(*)(uint32_t)) = (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2");
	if (start && start(export_table)) return 1;
	memset(&poolgen_nvtx, 0, sizeof poolgen_nvtx);
	return 0;
}
