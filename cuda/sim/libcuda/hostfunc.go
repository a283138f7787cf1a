//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stdint.h>
//
// static void call(uint64_t f, uint64_t data) { ((void (*)(void *))(uintptr_t)f)((void *)(uintptr_t)data); }
import "C"

// callHostFunc calls a function of the program. It has a file of its own, because C must not be defined beside exported functions.
func callHostFunc(f, data uint64) { C.call(C.uint64_t(f), C.uint64_t(data)) }
