// SPDX-License-Identifier: Apache-2.0

// The tables that a profiler fills in, as in version 3 of the NVIDIA Tools Extension: for each module an array of addresses of
// function pointers, by the number of the function. Poolgen uses a few; there is room for all, because profilers expect it.

#ifndef POOLGEN_INJECTION_H
#define POOLGEN_INJECTION_H

#include <stdint.h>

enum { CORE_FUNCTIONS = 16, CUDA_FUNCTIONS = 9, OTHER_FUNCTIONS = 16 };

// Numbers of functions.
enum { MARK = 2, PUSH = 9, POP = 11 }; // core
enum { NAME_STREAM = 5 };              // cuda

typedef void (*function)(void);

struct poolgen_nvtx {
	function core[CORE_FUNCTIONS];
	function cuda[CUDA_FUNCTIONS];
	function other[OTHER_FUNCTIONS]; // of modules that poolgen does not use: one variable for all
};
extern struct poolgen_nvtx poolgen_nvtx;

int poolgen_nvtx_load(const char *path); // 1 if the profiler listens

#endif
