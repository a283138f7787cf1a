// Package nvtx adds ranges and marks of the program to the profile of Nsight Systems, or of another profiler that supports NVTX (NVIDIA Tools
// Extension). Pools add ranges of their own for the driver's work.
//
// The profiler that starts the program names a library in the environment variable NVTX_INJECTION64_PATH. Without the variable, without cgo, or on a
// platform other than Linux, nothing is loaded, and the functions do nothing, in a nanosecond or two. They need no driver. All are safe for concurrent
// use.
package nvtx

import (
	"runtime"

	"github.com/poolgen/poolgen/cuda/internal/nvtx"
)

// Enabled reports whether a profiler that supports NVTX started the program. The first call of any function loads the profiler's library.
func Enabled() bool { return nvtx.On() }

// Mark marks a point in time. Programs that compose the text test [Enabled] first.
func Mark(text string) { nvtx.Mark(text) }

// RangePush begins a range. Ranges belong to a thread, so RangePush locks the goroutine to its thread until [RangePop], which the same goroutine
// must call. Ranges of a goroutine nest.
func RangePush(text string) {
	if nvtx.On() {
		runtime.LockOSThread()
		nvtx.Push(text)
	}
}

// RangePop ends the range that began last on this goroutine.
func RangePop() {
	if nvtx.On() {
		nvtx.Pop()
		runtime.UnlockOSThread()
	}
}

// NameStream gives the stream with a handle (CUstream) a name in the profile.
func NameStream(handle uintptr, name string) { nvtx.NameStream(handle, name) }
