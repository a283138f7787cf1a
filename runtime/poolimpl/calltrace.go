package poolimpl

import (
	"fmt"
	"strings"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/callers"
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

// began is when the program began.
var began = time.Now()

// sinceBegan returns the time of a wall clock that nobody has set since the program began: time.Now would read two clocks.
func sinceBegan() time.Time { return began.Add(time.Since(began)) }

// note records the calls under way in the memory of an earlier record, without the number of the goroutine. The stack is for package trace alone.
func (t *callTrace) note() {
	var pcs [depth + 3]uintptr // three of them are note, what calls it, and callers.Take
	n := callers.Take(pcs[:])
	t.time, t.stack = sinceBegan(), append(t.stack[:0], pcs[:n]...)
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
