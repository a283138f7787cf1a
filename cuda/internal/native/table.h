// SPDX-License-Identifier: Apache-2.0

// The loaded driver, and how an operation runs in a context: one C function per operation, because between two calls from Go the
// goroutine may have moved to another thread, and the current context belongs to the thread.

#ifndef POOLGEN_TABLE_H
#define POOLGEN_TABLE_H

#include "functions.h"

#define SUCCESS 0
#define INVALID_VALUE 1
#define INVALID_CONTEXT 201
#define NO_LIBRARY (-1) // these two are ours; package abi has them too
#define NO_FUNCTION (-2)

// poolgen_driver holds the addresses of the functions. It is written once, before any operation, and only read afterwards.
struct poolgen_table {
#define FIELD(name, symbol, need, params) int (*name) params;
	POOLGEN_FUNCTIONS(FIELD)
#undef FIELD
};
extern struct poolgen_table poolgen_driver;

// poolgen_outcome says how loading went.
struct poolgen_outcome {
	int32_t result;
	char path[1024];   // the library
	char message[512]; // what the loader said, or the name of the function that is missing
};
void poolgen_load(const char *path, struct poolgen_outcome *);
int poolgen_has(const char *name);

// What operations return: a value and a result, in registers.
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

// enter makes a context current and tells which one was.
static inline int enter(handle ctx, handle *before) {
	if (!ctx) return INVALID_CONTEXT;
	int r = poolgen_driver.cuCtxGetCurrent(before);
	if (r || *before == ctx) return r;
	return poolgen_driver.cuCtxSetCurrent(ctx);
}

// leave puts back what was current. A context that was destroyed meanwhile cannot be: then none is current, as its owner
// would expect; the operation itself is done, so its result stands.
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
