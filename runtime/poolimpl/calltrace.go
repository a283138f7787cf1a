package poolimpl

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"
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

// here records the call of its caller's caller.
func here() callTrace {
	t := calls()
	t.goroutine = goroutine()
	return t
}

// calls is here without the number of the goroutine, which takes longer than all else.
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

// goroutine returns the number of the calling goroutine, as stack traces give it.
func goroutine() uint64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line, _, _ = bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	n, _ := strconv.ParseUint(string(line), 10, 64)
	return n
}
