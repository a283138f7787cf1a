//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// static number ctx_current(void) { handle c = 0; int r = CALL(cuCtxGetCurrent, &c); return (number){N(c), r}; }
// static int ctx_set_current(uint64_t c) { return CALL(cuCtxSetCurrent, H(c)); }
// static number ctx_device(void) { int d = 0; int r = CALL(cuCtxGetDevice, &d); return (number){d, r}; }
// static int ctx_synchronize(uint64_t ctx) { return IN(ctx, cuCtxSynchronize); }
// static int ctx_enable_peer(uint64_t ctx, uint64_t peer) { return IN(ctx, cuCtxEnablePeerAccess, H(peer), 0); }
// static int ctx_disable_peer(uint64_t ctx, uint64_t peer) { return IN(ctx, cuCtxDisablePeerAccess, H(peer)); }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// CtxGetCurrent returns the context of the calling thread, or 0.
func (Driver) CtxGetCurrent() (abi.Context, abi.Result) {
	r := C.ctx_current()
	return abi.Context(r.value), abi.Result(r.result)
}

// CtxSetCurrent changes it until the next call; the caller has locked the goroutine to the thread.
func (Driver) CtxSetCurrent(c abi.Context) abi.Result {
	return abi.Result(C.ctx_set_current(C.uint64_t(c)))
}

// CtxGetDevice returns the device of the calling thread's context.
func (Driver) CtxGetDevice() (int, abi.Result) {
	r := C.ctx_device()
	return int(r.value), abi.Result(r.result)
}

// CtxSynchronize blocks a thread until all work of the context is done.
func (Driver) CtxSynchronize(c abi.Context) abi.Result {
	return abi.Result(C.ctx_synchronize(C.uint64_t(c)))
}

// CtxEnablePeerAccess lets ctx address the memory of peer.
func (Driver) CtxEnablePeerAccess(ctx, peer abi.Context) abi.Result {
	return abi.Result(C.ctx_enable_peer(C.uint64_t(ctx), C.uint64_t(peer)))
}

// CtxDisablePeerAccess undoes that.
func (Driver) CtxDisablePeerAccess(ctx, peer abi.Context) abi.Result {
	return abi.Result(C.ctx_disable_peer(C.uint64_t(ctx), C.uint64_t(peer)))
}
