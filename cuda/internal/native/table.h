// SPDX-License-Identifier: Apache-2.0

// The loaded driver, and the calls in a context. Each operation is one C function, because a goroutine may move to another
// thread between two calls from Go, and the current context belongs to the thread.

#ifndef POOLGEN_TABLE_H
#define POOLGEN_TABLE_H

#include "functions.h"

#define SUCCESS 0
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define INVALID_CONTEXT 201
#define PER_THREAD 2 // the default stream with the highest handle
#define NO_LIBRARY (-1) // these two are poolgen's own; package abi has them, too
#define NO_FUNCTION (-2)

// poolgen_driver holds the addresses of the functions. It is written once, before any operation, and only read afterwards.
struct poolgen_table {
#define FIELD(name, symbol, need, params) int (*name) params;
	POOLGEN_FUNCTIONS(FIELD)
#undef FIELD
};
extern struct poolgen_table poolgen_driver;

// poolgen_outcome is the outcome of loading.
struct poolgen_outcome {
	int32_t result;
	char path[1024];   // the library
	char message[512]; // the loader's message, or the name of a missing function
};
void poolgen_load(const char *path, struct poolgen_outcome *);
int poolgen_has(const char *name);

// The results of operations: a value and a CUresult, in registers.
typedef struct {
	uint64_t value;
	int32_t result;
} number;
typedef struct {
	void *value;
	int32_t result;
} pointer;

static inline handle H(uint64_t n) { return (handle)(uintptr_t)n; }
static inline uint64_t N(handle h) { return (uint64_t)(uintptr_t)h; }

// enter makes a context current and returns the one that was current.
static inline int enter(handle ctx, handle *before) {
	if (!ctx) return INVALID_CONTEXT;
	int r = poolgen_driver.cuCtxGetCurrent(before);
	if (r || *before == ctx) return r;
	return poolgen_driver.cuCtxSetCurrent(ctx);
}

// leave makes the earlier context current again. If that was destroyed meanwhile, none is current, as its owner expects;
// the operation itself is done, and its result remains.
static inline void leave(handle ctx, handle before) {
	if (before != ctx && poolgen_driver.cuCtxSetCurrent(before)) poolgen_driver.cuCtxSetCurrent(0);
}

// CALL calls a function of the driver that needs no context.
#define CALL(name, ...) (poolgen_driver.name ? poolgen_driver.name(__VA_ARGS__) : NO_FUNCTION)

// IN calls a function of the driver in a context.
#define IN(ctx, name, ...)                                         \
	({                                                         \
		handle in_ = H(ctx), before_ = 0;                  \
		int r_ = NO_FUNCTION;                              \
		if (poolgen_driver.name) {                         \
			r_ = enter(in_, &before_);                 \
			if (!r_) {                                 \
				r_ = poolgen_driver.name(__VA_ARGS__); \
				leave(in_, before_);               \
			}                                          \
		}                                                  \
		r_;                                                \
	})

#endif
