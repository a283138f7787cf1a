//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stdint.h>
import "C"

import (
	"sync"
	"syscall"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

//export cuCtxGetCurrent
func cuCtxGetCurrent(to *C.uint64_t) C.int { return get(to, driver.CtxGetCurrent) }

//export cuCtxSetCurrent
func cuCtxSetCurrent(ctx C.uint64_t) C.int {
	return do(func() abi.Result { return driver.CtxSetCurrent(abi.Context(ctx)) })
}

// pushed has the contexts below the current one of each thread.
var pushed struct {
	mu sync.Mutex
	of map[int][]abi.Context
}

//export cuCtxPushCurrent_v2
func cuCtxPushCurrent_v2(ctx C.uint64_t) C.int {
	return do(func() abi.Result {
		before, r := driver.CtxGetCurrent()
		if r != abi.Success {
			return r
		}
		if ctx == 0 {
			return abi.InvalidContext
		}
		if r := driver.CtxSetCurrent(abi.Context(ctx)); r != abi.Success {
			return r
		}
		pushed.mu.Lock()
		defer pushed.mu.Unlock()
		if pushed.of == nil {
			pushed.of = map[int][]abi.Context{}
		}
		thread := syscall.Gettid()
		pushed.of[thread] = append(pushed.of[thread], before)
		return abi.Success
	})
}

//export cuCtxPopCurrent_v2
func cuCtxPopCurrent_v2(to *C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		pushed.mu.Lock()
		defer pushed.mu.Unlock()
		thread := syscall.Gettid()
		var below abi.Context
		if stack := pushed.of[thread]; len(stack) > 0 {
			below, pushed.of[thread] = stack[len(stack)-1], stack[:len(stack)-1]
		}
		if to != nil {
			*to = C.uint64_t(ctx)
		}
		return driver.CtxSetCurrent(below)
	})
}

//export cuCtxGetDevice
func cuCtxGetDevice(to *C.int) C.int { return get(to, driver.CtxGetDevice) }

//export cuCtxSynchronize
func cuCtxSynchronize() C.int { return doIn(driver.CtxSynchronize) }

//export cuCtxGetStreamPriorityRange
func cuCtxGetStreamPriorityRange(least, greatest *C.int) C.int { // both 0: priorities have no effect
	return doIn(func(abi.Context) abi.Result {
		for _, p := range []*C.int{least, greatest} {
			if p != nil {
				*p = 0
			}
		}
		return abi.Success
	})
}

//export cuCtxEnablePeerAccess
func cuCtxEnablePeerAccess(peer C.uint64_t, flags C.uint) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		if flags != 0 {
			return abi.InvalidValue
		}
		return driver.CtxEnablePeerAccess(ctx, abi.Context(peer))
	})
}

//export cuCtxDisablePeerAccess
func cuCtxDisablePeerAccess(peer C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.CtxDisablePeerAccess(ctx, abi.Context(peer)) })
}
