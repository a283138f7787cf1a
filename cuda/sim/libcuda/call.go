//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

import "C"

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

// version is that of CUDA whose functions symbols.h lists.
const version = 12010

// driver is the simulator behind the functions. It has no textures, as the library lacks their functions.
var driver = simulator.New(simulator.Config{Schedule: 1, Version: version, Attributes: map[int32]int32{abi.AttributeSparseArray: 0}})

// initialised is set by cuInit, before which most functions fail.
var initialised atomic.Bool

// number is a type of C or of the simulator.
type number interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr | ~float32
}

// do makes a call that has no result besides its code.
func do(call func() abi.Result) C.int {
	if !initialised.Load() {
		return C.int(abi.NotInitialized)
	}
	return C.int(call())
}

// get makes a call that returns a number, and writes the number for the caller, if the call succeeds.
func get[T, V number](to *T, call func() (V, abi.Result)) C.int {
	return do(func() abi.Result {
		if to == nil {
			return abi.InvalidValue
		}
		v, r := call()
		if r == abi.Success {
			*to = T(v)
		}
		return r
	})
}

// doIn is do in the context of the calling thread.
func doIn(call func(ctx abi.Context) abi.Result) C.int {
	return do(func() abi.Result {
		ctx, r := driver.CtxGetCurrent()
		if r == abi.Success && ctx == 0 {
			r = abi.InvalidContext
		}
		if r != abi.Success {
			return r
		}
		return call(ctx)
	})
}

// getIn is get in the context of the calling thread.
func getIn[T, V number](to *T, call func(ctx abi.Context) (V, abi.Result)) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		if to == nil {
			return abi.InvalidValue
		}
		v, r := call(ctx)
		if r == abi.Success {
			*to = T(v)
		}
		return r
	})
}
