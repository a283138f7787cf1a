// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

#include "hostfunc.h"
#include "table.h"

#include "_cgo_export.h"

// call is what the driver calls, on a thread of its own.
static void call(void *number) { poolgenHostFunc((uint64_t)(uintptr_t)number); }

int host_func_launch(uint64_t ctx, uint64_t stream, uint64_t number) {
	return IN(ctx, cuLaunchHostFunc, H(stream), call, (void *)(uintptr_t)number);
}
