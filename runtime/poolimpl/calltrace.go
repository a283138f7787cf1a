package poolimpl

import (
	"fmt"
	"runtime"
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

// calls records the call of its caller's caller, without the number of the goroutine: that takes longer than all else.
func calls() callTrace {
	var pcs [depth]uintptr
	n := runtime.Callers(3, pcs[:])
	return callTrace{time: time.Now(), stack: slices.Clone(pcs[:n])}
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
