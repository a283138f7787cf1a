//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import "github.com/poolgen/poolgen/cuda/internal/abi"

// CtxGetCurrent returns the context of the calling thread, or 0.
func (Driver) CtxGetCurrent() (abi.Context, abi.Result) {
	c, r := fetch(table.cuCtxGetCurrent)
	return abi.Context(c), r
}

// CtxSetCurrent changes it until the next call; the caller has locked the goroutine to the thread.
func (Driver) CtxSetCurrent(c abi.Context) abi.Result { return call(table.cuCtxSetCurrent, uintptr(c)) }

// CtxGetDevice returns the device of the calling thread's context.
func (Driver) CtxGetDevice() (int, abi.Result) {
	d, r := fetch(table.cuCtxGetDevice)
	return int(int32(d)), r
}

// CtxSynchronize blocks a thread until all work of the context is done.
func (Driver) CtxSynchronize(c abi.Context) abi.Result { return in(c, table.cuCtxSynchronize) }

// CtxEnablePeerAccess lets ctx address the memory of peer.
func (Driver) CtxEnablePeerAccess(ctx, peer abi.Context) abi.Result {
	return in(ctx, table.cuCtxEnablePeerAccess, uintptr(peer), 0)
}

// CtxDisablePeerAccess undoes that.
func (Driver) CtxDisablePeerAccess(ctx, peer abi.Context) abi.Result {
	return in(ctx, table.cuCtxDisablePeerAccess, uintptr(peer))
}
