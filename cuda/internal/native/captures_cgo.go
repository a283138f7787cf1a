//go:build cgo && linux && (amd64 || arm64)

package native

// #cgo noescape capture_info
// #cgo nocallback capture_info
// #cgo noescape node_dependencies
// #cgo nocallback node_dependencies
// #include <stdlib.h>
// #include "table.h"
//
// #define RELAXED 2
// #define NO_SYNC 1
// #define MOVE 1
//
// // ordered copies nodes: first those behind edges of the default type, which are counted, then the others. No edges: all are of that type.
// static size_t ordered(const handle *from, const struct edge *edges, size_t n, uint64_t *to) {
//	size_t first = 0, last = n;
//	for (size_t i = 0; i < n; i++) {
//		if (!edges || edges[i].type == 0) to[first++] = N(from[i]);
//		else to[--last] = N(from[i]);
//	}
//	return first;
// }
// typedef struct { uint64_t id, nodes, ordered, first; int32_t status, result; } capture;
// static capture capture_info(uint64_t ctx, uint64_t s, uint64_t *to, uint64_t room) {
//	capture c = {0};
//	int status = 0;
//	size_t n = 0;
//	const handle *nodes = 0;
//	const struct edge *edges = 0;
//	int v3 = poolgen_driver.cuStreamGetCaptureInfo3 != 0;
//	c.result = INVALID_CONTEXT;
//	if (s > PER_THREAD) // a stream that was created says which context it is of, and a change of context takes longer than the call
//		c.result = v3 ? CALL(cuStreamGetCaptureInfo3, H(s), &status, &c.id, 0, &nodes, &edges, &n)
//		              : CALL(cuStreamGetCaptureInfo, H(s), &status, &c.id, 0, &nodes, &n);
//	if (c.result == INVALID_CONTEXT)
//		c.result = v3 ? IN(ctx, cuStreamGetCaptureInfo3, H(s), &status, &c.id, 0, &nodes, &edges, &n)
//		              : IN(ctx, cuStreamGetCaptureInfo, H(s), &status, &c.id, 0, &nodes, &n);
//	c.status = status;
//	c.nodes = n;
//	if (!c.result && status == 1 && (n == 1 || n <= room)) c.ordered = ordered(nodes, edges, n, n == 1 ? &c.first : to);
//	return c;
// }
// typedef struct { uint64_t count; int32_t full, result; } dependencies;
// static dependencies node_dependencies(uint64_t node, uint64_t *to, uint64_t room) {
//	handle few[64], *nodes = room <= 64 ? few : malloc(room * sizeof *nodes);
//	struct edge some[64], *edges = room <= 64 ? some : malloc(room * sizeof *edges);
//	size_t n = room;
//	dependencies d = {0};
//	int v2 = poolgen_driver.cuGraphNodeGetDependencies2 != 0;
//	if (!nodes || !edges) d.result = OUT_OF_MEMORY;
//	else if (v2) d.result = CALL(cuGraphNodeGetDependencies2, H(node), nodes, edges, &n);
//	else d.result = CALL(cuGraphNodeGetDependencies, H(node), nodes, &n);
//	if (!d.result && n < room) {
//		d.count = ordered(nodes, v2 ? edges : 0, n, to);
//		d.full = 1;
//	} else if (!d.result) { // there may be more
//		d.result = v2 ? CALL(cuGraphNodeGetDependencies2, H(node), 0, 0, &n) : CALL(cuGraphNodeGetDependencies, H(node), 0, &n);
//		d.count = n;
//	}
//	if (nodes != few) free(nodes);
//	if (edges != some) free(edges);
//	return d;
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
//
// // A user_object belongs to the program, which frees it once the driver has ended it.
// typedef struct { handle object; uint32_t gone; } user_object;
// static void end_user_object(void *o) { __atomic_store_n(&((user_object *)o)->gone, 1, __ATOMIC_RELEASE); }
// static number user_object_create(void) {
//	user_object *o = calloc(1, sizeof *o);
//	if (!o) return (number){0, OUT_OF_MEMORY};
//	int r = CALL(cuUserObjectCreate, &o->object, o, end_user_object, 1, NO_SYNC);
//	if (r) free(o);
//	return (number){r ? 0 : N(o), r};
// }
// static int user_object_release(uint64_t o) { return CALL(cuUserObjectRelease, ((user_object *)H(o))->object, 1); }
// static int user_object_move(uint64_t g, uint64_t o) { return CALL(cuGraphRetainUserObject, H(g), ((user_object *)H(o))->object, 1, MOVE); }
// static int user_object_gone(uint64_t n) {
//	user_object *o = H(n);
//	if (!__atomic_load_n(&o->gone, __ATOMIC_ACQUIRE)) return 0;
//	free(o);
//	return 1;
// }
import "C"

import (
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

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

// StreamGetCaptureInfo describes the capture that a stream takes part in.
func (Driver) StreamGetCaptureInfo(ctx abi.Context, s abi.Stream, nodes []abi.GraphNode) (abi.CaptureInfo, abi.Result) {
	c := C.capture_info(C.uint64_t(ctx), C.uint64_t(s), (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(nodes))), C.uint64_t(len(nodes)))
	return abi.CaptureInfo{
		Status: int32(c.status), ID: uint64(c.id), Nodes: int(c.nodes), First: abi.GraphNode(c.first), Ordered: int(c.ordered),
	}, abi.Result(c.result)
}

// GraphNodeGetDependencies lists the nodes whose work is done before that of a node begins.
func (Driver) GraphNodeGetDependencies(n abi.GraphNode, nodes []abi.GraphNode) (int, bool, abi.Result) {
	d := C.node_dependencies(C.uint64_t(n), (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(nodes))), C.uint64_t(len(nodes)))
	return int(d.count), d.full != 0, abi.Result(d.result)
}

// UserObjectCreate makes an object with one reference.
func (Driver) UserObjectCreate() (abi.UserObject, abi.Result) {
	r := C.user_object_create()
	return abi.UserObject(r.value), abi.Result(r.result)
}

// UserObjectRelease ends the reference.
func (Driver) UserObjectRelease(o abi.UserObject) abi.Result {
	return abi.Result(C.user_object_release(C.uint64_t(o)))
}

// GraphRetainUserObject moves the reference to a graph.
func (Driver) GraphRetainUserObject(g abi.Graph, o abi.UserObject) abi.Result {
	return abi.Result(C.user_object_move(C.uint64_t(g), C.uint64_t(o)))
}

// UserObjectGone reports whether the driver has ended the object.
func (Driver) UserObjectGone(o abi.UserObject) (bool, abi.Result) {
	return C.user_object_gone(C.uint64_t(o)) != 0, abi.Success
}
