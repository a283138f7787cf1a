//go:build cgo && linux && (amd64 || arm64)

package native

// #include "table.h"
//
// #define RELAXED 2
//
// static number stream_create(uint64_t ctx, unsigned flags, int priority) {
//	handle s = 0;
//	int r = IN(ctx, cuStreamCreateWithPriority, &s, flags, priority);
//	return (number){N(s), r};
// }
// static int stream_destroy(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamDestroy, H(s)); }
// static number stream_id(uint64_t ctx, uint64_t s) {
//	uint64_t id = 0;
//	int r = IN(ctx, cuStreamGetId, H(s), &id);
//	return (number){id, r};
// }
// static number stream_ctx(uint64_t s) { handle c = 0; int r = CALL(cuStreamGetCtx, H(s), &c); return (number){N(c), r}; }
// static int stream_query(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamQuery, H(s)); }
// static int stream_synchronize(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamSynchronize, H(s)); }
// static int stream_wait(uint64_t ctx, uint64_t s, uint64_t e) { return IN(ctx, cuStreamWaitEvent, H(s), H(e), 0); }
// static number stream_capturing(uint64_t ctx, uint64_t s) {
//	int status = 0;
//	int r = IN(ctx, cuStreamIsCapturing, H(s), &status);
//	return (number){status, r};
// }
// static int stream_begin(uint64_t ctx, uint64_t s) { return IN(ctx, cuStreamBeginCapture, H(s), RELAXED); }
// static number stream_end(uint64_t ctx, uint64_t s) {
//	handle g = 0;
//	int r = IN(ctx, cuStreamEndCapture, H(s), &g);
//	return (number){N(g), r};
// }
// static number graph_instantiate(uint64_t ctx, uint64_t g) {
//	handle ready = 0;
//	int r = IN(ctx, cuGraphInstantiateWithFlags, &ready, H(g), 0);
//	return (number){N(ready), r};
// }
// static int graph_launch(uint64_t ctx, uint64_t ready, uint64_t s) { return IN(ctx, cuGraphLaunch, H(ready), H(s)); }
// static int graph_exec_destroy(uint64_t ctx, uint64_t ready) { return IN(ctx, cuGraphExecDestroy, H(ready)); }
// static int graph_destroy(uint64_t g) { return CALL(cuGraphDestroy, H(g)); }
import "C"

import "github.com/poolgen/poolgen/cuda/internal/abi"

// StreamCreate makes a stream; a lower number is a higher priority.
func (Driver) StreamCreate(ctx abi.Context, flags uint32, priority int32) (abi.Stream, abi.Result) {
	r := C.stream_create(C.uint64_t(ctx), C.uint(flags), C.int(priority))
	return abi.Stream(r.value), abi.Result(r.result)
}

// StreamDestroy returns at once; the work goes on.
func (Driver) StreamDestroy(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_destroy(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamGetID returns a number that no other stream of the process ever has.
func (Driver) StreamGetID(ctx abi.Context, s abi.Stream) (uint64, abi.Result) {
	r := C.stream_id(C.uint64_t(ctx), C.uint64_t(s))
	return uint64(r.value), abi.Result(r.result)
}

// StreamGetCtx returns the context in which the stream was made.
func (Driver) StreamGetCtx(s abi.Stream) (abi.Context, abi.Result) {
	r := C.stream_ctx(C.uint64_t(s))
	return abi.Context(r.value), abi.Result(r.result)
}

// StreamQuery queries the stream without waiting.
func (Driver) StreamQuery(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_query(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamSynchronize blocks a thread until the stream is done.
func (Driver) StreamSynchronize(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_synchronize(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamWaitEvent makes later work of s wait for e.
func (Driver) StreamWaitEvent(ctx abi.Context, s abi.Stream, e abi.Event) abi.Result {
	return abi.Result(C.stream_wait(C.uint64_t(ctx), C.uint64_t(s), C.uint64_t(e)))
}

// StreamIsCapturing is also true for an invalidated capture that has not ended.
func (Driver) StreamIsCapturing(ctx abi.Context, s abi.Stream) (bool, abi.Result) {
	r := C.stream_capturing(C.uint64_t(ctx), C.uint64_t(s))
	return r.value != 0, abi.Result(r.result)
}

// StreamBeginCapture starts to record work instead of doing it.
func (Driver) StreamBeginCapture(ctx abi.Context, s abi.Stream) abi.Result {
	return abi.Result(C.stream_begin(C.uint64_t(ctx), C.uint64_t(s)))
}

// StreamEndCapture returns the recorded work.
func (Driver) StreamEndCapture(ctx abi.Context, s abi.Stream) (abi.Graph, abi.Result) {
	r := C.stream_end(C.uint64_t(ctx), C.uint64_t(s))
	return abi.Graph(r.value), abi.Result(r.result)
}

// GraphInstantiate makes a graph ready to be launched many times.
func (Driver) GraphInstantiate(ctx abi.Context, g abi.Graph) (abi.GraphExec, abi.Result) {
	r := C.graph_instantiate(C.uint64_t(ctx), C.uint64_t(g))
	return abi.GraphExec(r.value), abi.Result(r.result)
}

// GraphLaunch launches an instantiated graph, after its earlier launches.
func (Driver) GraphLaunch(ctx abi.Context, g abi.GraphExec, s abi.Stream) abi.Result {
	return abi.Result(C.graph_launch(C.uint64_t(ctx), C.uint64_t(g), C.uint64_t(s)))
}

// GraphExecDestroy destroys an instantiated graph. The driver keeps it until its launches have run.
func (Driver) GraphExecDestroy(ctx abi.Context, g abi.GraphExec) abi.Result {
	return abi.Result(C.graph_exec_destroy(C.uint64_t(ctx), C.uint64_t(g)))
}

// GraphDestroy destroys a graph.
func (Driver) GraphDestroy(g abi.Graph) abi.Result {
	return abi.Result(C.graph_destroy(C.uint64_t(g)))
}
