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

// Leak is blocks of one pool that are live and were handed out to the same calls.
type Leak struct {
	Pool      string
	Count     int64
	Bytes     int64     // asked for; numbers in a pool of those
	Since     time.Time // when the oldest was handed out
	Goroutine uint64    // that got the oldest; 0 where nobody knows, under the tag pooltrace
	Stack     []uintptr // of the calls, the innermost first, as of runtime.Callers
	Unit      string    // of Bytes: "bytes" or "numbers"
	Sampled   bool      // Count and Bytes are estimated from a sample
}

// String describes the blocks over several lines.
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

// estimate says of figures that they are no more than that, where they are not exact.
func (l Leak) estimate(figures string) string {
	if !l.Sampled {
		return figures
	}
	return "about " + figures + ", estimated from a sample"
}

// caller is the function that called the pool, with its line.
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

// Watched is a pool, as far as leaks go. All generated pools are.
type Watched interface {
	Stats() Stats
	Leaks() []Leak
}

// Leaks lists what is live in some pools, or, if none is named, in all pools of the program. Programs built with the tag pooldebug know each block; those with
// pooltrace estimate from a sample, see [SetSampling]; in others there are none. Safe for concurrent use.
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

// TB is what AssertNoLeaks needs of a *testing.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// AssertNoLeaks fails a test for each of the pools that has live blocks, with the calls that they were handed out to if the program was built with the
// tag pooldebug or pooltrace, else with their number. If none is named it looks at all pools of the program, see [Pools]: also at those that other tests
// have left. Blocks of a bump pool are live until it is reset.
//
// It costs what Stats of each pool does. A pool of concurrency none must not be in use by another goroutine meanwhile.
func AssertNoLeaks(t TB, pools ...Watched) {
	t.Helper()
	if len(pools) == 0 {
		for _, p := range allPools() {
			assertNoLeaks(t, "pool "+p.Name(), p)
		}
	}
	for i, p := range pools {
		assertNoLeaks(t, fmt.Sprintf("pool %d of %d", i+1, len(pools)), p)
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

// WriteProfile writes leaks as a profile for go tool pprof: live blocks and bytes by the call stacks that allocated them, labelled with
// the pool.
//
//	poolrt.WriteProfile(f, poolrt.Leaks()...)
func WriteProfile(w io.Writer, leaks ...Leak) error {
	var all []trace.Calls
	for _, l := range leaks {
		all = append(all, trace.Calls{Pool: l.Pool, Stack: l.Stack, Values: []int64{l.Count, l.Bytes}})
	}
	return trace.WriteProfile(w, [][2]string{{"blocks", "count"}, {"bytes", "bytes"}}, "bytes", all)
}
