package poolimpl

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// callTrace records a call of a pool.
type callTrace struct {
	time      time.Time
	goroutine uint64 // 0: not known
	stack     []uintptr
}

// depth is how many frames of a stack are kept.
const depth = 32

// frames has room for a stack.
type frames [depth]uintptr

// call records a call whose stack [runtime.Callers] has written to f, and which has n frames, without the number of the goroutine: that takes longer than all else.
// Each function between the call and that of runtime.Callers costs as much as a frame that is kept, so a function that records calls often calls it itself.
func (f *frames) call(n int) callTrace {
	return callTrace{time: time.Now(), stack: slices.Clone(f[:n])}
}

// write adds a call to a report.
func (t callTrace) write(b *strings.Builder, what string) {
	fmt.Fprintf(b, "\n    %s %s ago", what, age(t.time))
	if t.goroutine > 0 {
		fmt.Fprintf(b, " by goroutine %d", t.goroutine)
	}
	b.WriteByte(':')
	trace.WriteStack(b, t.stack)
}

func age(at time.Time) time.Duration { return time.Since(at).Round(time.Microsecond) }
