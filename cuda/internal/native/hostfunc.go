//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// hostFuncs are the functions that the driver has yet to call. It gets their numbers, and no Go pointer.
var hostFuncs struct {
	mu    sync.Mutex
	last  uint64
	calls map[uint64]func()
}

// addHostFunc returns the number of a function.
func addHostFunc(f func()) uint64 {
	hostFuncs.mu.Lock()
	defer hostFuncs.mu.Unlock()
	if hostFuncs.calls == nil {
		hostFuncs.calls = map[uint64]func(){}
	}
	hostFuncs.last++
	hostFuncs.calls[hostFuncs.last] = f
	return hostFuncs.last
}

// takeHostFunc removes a function and returns it.
func takeHostFunc(n uint64) func() {
	hostFuncs.mu.Lock()
	defer hostFuncs.mu.Unlock()
	f := hostFuncs.calls[n]
	delete(hostFuncs.calls, n)
	return f
}

// LaunchHostFunc calls f when the stream reaches the call. After a failure, f is not called.
func (Driver) LaunchHostFunc(ctx abi.Context, s abi.Stream, f func()) abi.Result {
	if f == nil {
		return abi.InvalidValue
	}
	n := addHostFunc(f)
	r := launchHostFunc(ctx, s, n)
	if r != abi.Success {
		takeHostFunc(n)
	}
	return r
}

// callHostFunc is called by a thread of the driver. The function runs on a goroutine of its own: a panic then ends the program as in any goroutine,
// with a stack of Go code, and runtime.Goexit ends the function alone.
func callHostFunc(n uint64) {
	f := takeHostFunc(n)
	if f == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
