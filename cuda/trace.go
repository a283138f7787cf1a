package cuda

import (
	"runtime"

	"github.com/poolgen/poolgen/cuda/internal/nvtx"
)

// Tracing reports whether a profiler that supports NVTX (NVIDIA Tools Extension), such as Nsight Systems, started the program. If none
// did, the functions below do nothing, in a nanosecond or two. They need no driver.
func Tracing() bool { return nvtx.On() }

// Mark puts a mark in the profile.
func Mark(text string) { nvtx.Mark(text) }

// RangePush begins a range in the profile. Ranges belong to a thread, so RangePush locks the goroutine to its thread until
// [RangePop], which must be called by the same goroutine.
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

// SetName names the stream in the profile.
func (s Stream) SetName(name string) { nvtx.NameStream(s.handle, name) }
