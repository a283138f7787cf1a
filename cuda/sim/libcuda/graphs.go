//go:build cudasim && cgo && linux && (amd64 || arm64)

package main

// #include <stdint.h>
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

//export cuStreamBeginCapture_v2
func cuStreamBeginCapture_v2(stream C.uint64_t, mode C.int) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		if mode < 0 || mode > abi.CaptureRelaxed { // the modes before it refuse more calls of other threads
			return abi.InvalidValue
		}
		return driver.StreamBeginCapture(ctx, abi.Stream(stream))
	})
}

//export cuStreamIsCapturing
func cuStreamIsCapturing(stream C.uint64_t, to *C.int) C.int {
	return getIn(to, func(ctx abi.Context) (C.int, abi.Result) {
		is, r := driver.StreamIsCapturing(ctx, abi.Stream(stream))
		return truth(is), r
	})
}

//export cuStreamEndCapture
func cuStreamEndCapture(stream C.uint64_t, to *C.uint64_t) C.int {
	return getIn(to, func(ctx abi.Context) (abi.Graph, abi.Result) { return driver.StreamEndCapture(ctx, abi.Stream(stream)) })
}

//export cuGraphInstantiateWithFlags
func cuGraphInstantiateWithFlags(to *C.uint64_t, graph, flags C.uint64_t) C.int {
	return getIn(to, func(ctx abi.Context) (abi.GraphExec, abi.Result) {
		if flags != 0 {
			return 0, abi.NotSupported
		}
		return driver.GraphInstantiate(ctx, abi.Graph(graph))
	})
}

//export cuGraphLaunch
func cuGraphLaunch(ready, stream C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result {
		return driver.GraphLaunch(ctx, abi.GraphExec(ready), abi.Stream(stream))
	})
}

//export cuGraphExecDestroy
func cuGraphExecDestroy(ready C.uint64_t) C.int {
	return doIn(func(ctx abi.Context) abi.Result { return driver.GraphExecDestroy(ctx, abi.GraphExec(ready)) })
}

//export cuGraphDestroy
func cuGraphDestroy(graph C.uint64_t) C.int {
	return do(func() abi.Result { return driver.GraphDestroy(abi.Graph(graph)) })
}
