package compile

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// each calls f with 0 to n-1, on all cores, and returns when all calls have. When ctx ends, it calls f no more. A panic in one of the calls becomes a panic
// of the caller, which reports faults.
func each(ctx context.Context, n int, f func(i int)) {
	var next atomic.Int64
	var fault atomic.Pointer[string]
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					text := fmt.Sprintf("%v\n\n%s", p, debug.Stack())
					fault.CompareAndSwap(nil, &text)
				}
			}()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	group.Wait()
	if text := fault.Load(); text != nil {
		panic(*text)
	}
}
