package poolrt

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// Leak is all live blocks of one pool that the same call stack has allocated.
type Leak struct {
	Pool      string    // name of the pool
	Count     int64     // number of blocks
	Bytes     int64     // what was requested for all of them, in units of Unit
	Since     time.Time // when the oldest was allocated
	Goroutine uint64    // number of the goroutine that allocated the oldest; 0 if that is not known, as with the tag pooltrace
	Stack     []uintptr // program counters as of runtime.Callers, the innermost call first
	Unit      string    // what Bytes counts: "bytes" or "numbers"
	Sampled   bool      // Count and Bytes are estimated from a sample
}

// String describes the blocks in one line, and the calls in two lines each.
func (l Leak) String() string {
	var b strings.Builder
	held := l.estimate(fmt.Sprintf("%s with %d %s in all", figure.Count(l.Count, "block"), l.Bytes, cmp.Or(l.Unit, "bytes")))
	fmt.Fprintf(&b, "%s: %s, the oldest handed out %v ago", l.Pool, held, time.Since(l.Since).Round(time.Microsecond))
	if l.Goroutine > 0 {
		fmt.Fprintf(&b, " by goroutine %d", l.Goroutine)
	}
	b.WriteByte(':')
	trace.WriteStack(&b, l.Stack)
	return b.String()
}

// estimate marks figures as an estimate if they are one.
func (l Leak) estimate(figures string) string {
	if !l.Sampled {
		return figures
	}
	return "about " + figures + ", estimated from a sample"
}

// caller returns the function that called the pool, with its line.
func (l Leak) caller() string {
	text := "calls that are not known"
	for f := range trace.Frames(l.Stack) {
		text = fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line)
		if !f.Generated {
			break
		}
	}
	return text
}

// Watched is the part of a pool that [Leaks] and [AssertNoLeaks] use. All generated pools implement it.
type Watched interface {
	Stats() Stats
	Leaks() []Leak
}

// Leaks lists the live blocks of the given pools by the call stacks that allocated them. Without arguments Leaks lists those of all pools of the program.
//
// In programs built with the tag pooldebug the list has all live blocks. With the tag pooltrace it is estimated from a sample: see [SetSampling]. Without these tags
// it is estimated so for pools with profile: true in the pool file, and has no blocks of other pools. Safe for concurrent use.
func Leaks(pools ...Watched) (all []Leak) {
	if len(pools) == 0 {
		for _, p := range allPools() {
			all = append(all, p.Leaks()...)
		}
	}
	for _, p := range pools {
		all = append(all, p.Leaks()...)
	}
	return all
}

// TB is the part of a *testing.T that [AssertNoLeaks] uses.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// AssertNoLeaks fails a test for each of the given pools that has live blocks. Without arguments AssertNoLeaks checks all pools that [Pools] lists, also those that
// other tests have left. Blocks of a bump pool are live until the pool is reset.
//
// The message has the number and the size of the live blocks and, as far as [Leaks] lists them, the call stacks that allocated them.
//
// A call costs what Stats of each pool costs. A pool with concurrency none must not be in use by another goroutine meanwhile.
func AssertNoLeaks(t TB, pools ...Watched) {
	t.Helper()
	if len(pools) == 0 {
		for _, p := range allPools() {
			assertNoLeaks(t, "pool "+p.Name(), p)
		}
	}
	for i, p := range pools {
		assertNoLeaks(t, fmt.Sprintf("pool %d of %d (%T)", i+1, len(pools), p), p)
	}
}

func assertNoLeaks(t TB, name string, p Watched) {
	t.Helper()
	s := p.Stats()
	if s.Live == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s live, LiveBytes %d", name, figure.Are(s.Live, "block"), s.LiveBytes)
	for _, l := range p.Leaks() {
		text += "\n  " + l.String()
	}
	t.Errorf("%s", text)
}

// WriteProfile writes leaks as a profile for go tool pprof: the sample types are blocks and bytes, each by call stack, with the label pool.
//
//	poolrt.WriteProfile(f, poolrt.Leaks()...)
//
// An error is that of w.
func WriteProfile(w io.Writer, leaks ...Leak) error {
	var all []trace.Calls
	for _, l := range leaks {
		all = append(all, trace.Calls{Pool: l.Pool, Stack: l.Stack, Values: []int64{l.Count, l.Bytes}})
	}
	return trace.WriteProfile(w, trace.Form{Kinds: [][2]string{{"blocks", "count"}, {"bytes", "bytes"}}, Shown: "bytes"}, all)
}
