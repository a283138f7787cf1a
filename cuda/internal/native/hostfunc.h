// SPDX-License-Identifier: Apache-2.0

// Functions of the program that the driver calls. They have a header and a source of their own, because cgo copies what stands beside exported Go
// functions into two C files.

#ifndef POOLGEN_HOSTFUNC_H
#define POOLGEN_HOSTFUNC_H

#include <stdint.h>

int host_func_launch(uint64_t ctx, uint64_t stream, uint64_t number);

#endif
