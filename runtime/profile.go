package poolrt

import (
	"io"

	"github.com/poolgen/poolgen/runtime/internal/trace"
)

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
