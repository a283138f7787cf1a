//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// hostCallback is what the driver calls, on a thread of its own. There is one for all functions, because a callback is never freed.
var hostCallback = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(n uintptr) { callHostFunc(uint64(n)) })
})

// launchHostFunc passes the number of a function to the driver.
func launchHostFunc(ctx abi.Context, s abi.Stream, n uint64) abi.Result {
	return in(ctx, table.cuLaunchHostFunc, uintptr(s), hostCallback(), uintptr(n))
}
