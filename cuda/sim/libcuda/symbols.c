// SPDX-License-Identifier: Apache-2.0

//go:build cudasim && linux && (amd64 || arm64)

// Finding functions by name, and the functions that are not simulated.

#include "symbols.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_cgo_export.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_FOUND = 500, NOT_SUPPORTED = 801 };

#define STUB(name, symbol, since) int symbol(void) { return NOT_SUPPORTED; }
UNSUPPORTED(STUB)
#undef STUB

int cuGetProcAddress(const char *name, void **to, int version, uint64_t flags);
int cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status);

static const struct {
	const char *name;
	int since;
	void *address;
} symbols[] = {
#define ENTRY(name, symbol, since) {#name, since, (void *)symbol},
	SIMULATED(ENTRY)
	UNSUPPORTED(ENTRY)
#undef ENTRY
};

enum { FOUND = 0, NO_SUCH_NAME = 1, VERSION_TOO_OLD = 2 }; // CUdriverProcAddressQueryResult
enum { PER_THREAD = 2 };                                    // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM: other functions, which are not simulated

// cuGetProcAddress_v2 returns the newest form of a function that a program of a version of CUDA may know.
int cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status) {
	if (!name || !to) return INVALID_VALUE;
	*to = 0;
	int newest = 0, found = NO_SUCH_NAME;
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		if (strcmp(symbols[i].name, name)) continue;
		if (found == NO_SUCH_NAME) found = VERSION_TOO_OLD;
		if (symbols[i].since > version || symbols[i].since < newest) continue;
		found = FOUND;
		newest = symbols[i].since;
		*to = symbols[i].address;
	}
	if (status) *status = found;
	if (*to && flags & PER_THREAD) {
		*to = 0;
		return NOT_SUPPORTED;
	}
	return *to ? SUCCESS : NOT_FOUND;
}

int cuGetProcAddress(const char *name, void **to, int version, uint64_t flags) { return cuGetProcAddress_v2(name, to, version, flags, 0); }
