// Package runtime has the names of the standard library's that pools use.
package runtime

import (
	"runtime"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

const GOARCH = runtime.GOARCH

type (
	Frame  = runtime.Frame
	Frames = runtime.Frames
	Func   = runtime.Func
)

// GOMAXPROCS returns the number of processors of the exploration.
func GOMAXPROCS(int) int { return explore.Procs() }

// NumCPU returns the number of processors of the exploration.
func NumCPU() int { return explore.Procs() }

// Gosched is a scheduling point: another thread goes on.
func Gosched() { explore.Gosched() }

func Callers(skip int, pc []uintptr) int { return runtime.Callers(skip+1, pc) }

func CallersFrames(pc []uintptr) *Frames { return runtime.CallersFrames(pc) }

func FuncForPC(pc uintptr) *Func { return runtime.FuncForPC(pc) }

// Stack does what callers of the standard library's want it for: it stops all goroutines for a moment.
func Stack(buf []byte, all bool) int {
	if all {
		explore.Synchronize()
		return 0
	}
	return runtime.Stack(buf, false)
}
