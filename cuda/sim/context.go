//go:build cudasim

package sim

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator"
)

// NewContext makes a context of a device besides the primary one, as another binding in the process would by cuCtxCreate. It returns the handle
// (CUcontext) and does not make the context current. The context lives until Reset.
func NewContext(d cuda.Device) (uintptr, error) {
	c, r := simulator.Default().CtxCreate(int(d))
	return uintptr(c), failed("new context", r)
}

// SetContext makes a context current on the calling thread, as another binding in the process would by cuCtxSetCurrent; 0 means none. The caller
// must have locked the goroutine to its thread.
func SetContext(handle uintptr) error {
	return failed("set context", simulator.Default().CtxSetCurrent(abi.Context(handle)))
}

// Context returns the context that is current on the calling thread, 0 if none is.
func Context() uintptr {
	c, _ := simulator.Default().CtxGetCurrent()
	return uintptr(c)
}

// NewStream makes a stream in a context of [NewContext], and returns its handle (CUstream).
func NewStream(context uintptr) (uintptr, error) {
	s, r := simulator.Default().StreamCreate(abi.Context(context), abi.StreamNonBlocking, 0)
	return uintptr(s), failed("new stream", r)
}
