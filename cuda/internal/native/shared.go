//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

// Shared is a shared library that is not the driver's: package nccl calls it through the same two ways to C.
type Shared struct{ handle uintptr }

// mostShared is the number of arguments of the function of such a library that has most.
const mostShared = 8
