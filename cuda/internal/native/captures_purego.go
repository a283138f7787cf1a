//go:build !cgo && poolgen_purego && linux && (amd64 || arm64)

package native

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/layout"
)

// StreamBeginCapture starts to record work instead of doing it.
func (Driver) StreamBeginCapture(ctx abi.Context, s abi.Stream) abi.Result {
	return in(ctx, table.cuStreamBeginCapture, uintptr(s), abi.CaptureRelaxed)
}

// StreamEndCapture returns the recorded work.
func (Driver) StreamEndCapture(ctx abi.Context, s abi.Stream) (abi.Graph, abi.Result) {
	m := borrow()
	defer m.giveBack()
	r := in(ctx, table.cuStreamEndCapture, uintptr(s), m.toFirst())
	return abi.Graph(m.first), r
}

// GraphInstantiate makes a graph ready to be launched many times.
func (Driver) GraphInstantiate(ctx abi.Context, g abi.Graph) (abi.GraphExec, abi.Result) {
	ready, r := fetchIn(ctx, table.cuGraphInstantiateWithFlags, uintptr(g), 0)
	return abi.GraphExec(ready), r
}

// GraphLaunch launches an instantiated graph, after its earlier launches.
func (Driver) GraphLaunch(ctx abi.Context, g abi.GraphExec, s abi.Stream) abi.Result {
	return in(ctx, table.cuGraphLaunch, uintptr(g), uintptr(s))
}

// GraphExecDestroy destroys an instantiated graph. The driver keeps it until its launches have run.
func (Driver) GraphExecDestroy(ctx abi.Context, g abi.GraphExec) abi.Result {
	return in(ctx, table.cuGraphExecDestroy, uintptr(g))
}

// GraphDestroy destroys a graph.
func (Driver) GraphDestroy(g abi.Graph) abi.Result { return call(table.cuGraphDestroy, uintptr(g)) }

// ordered copies nodes: first those behind edges of the default type, which it counts, then the others. No edges: all are of that type.
func ordered(from []abi.GraphNode, edges []layout.Edge, to []abi.GraphNode) (first int) {
	last := len(from)
	for i, n := range from {
		if edges == nil || edges[i].Type == abi.EdgeDefault {
			to[first] = n
			first++
		} else {
			last--
			to[last] = n
		}
	}
	return first
}

// captureInfo is what the driver writes of a capture: numbers, and where its own lists are.
type captureInfo struct {
	status       int32
	id           uint64
	nodes, edges unsafe.Pointer
	n            uintptr
}

// StreamGetCaptureInfo describes the capture that a stream takes part in.
func (Driver) StreamGetCaptureInfo(ctx abi.Context, s abi.Stream, nodes []abi.GraphNode) (abi.CaptureInfo, abi.Result) {
	m := borrow()
	defer m.giveBack()
	at := place(m, captureInfo{})
	status, id := at+unsafe.Offsetof(captureInfo{}.status), at+unsafe.Offsetof(captureInfo{}.id)
	list, edges, n := at+unsafe.Offsetof(captureInfo{}.nodes), at+unsafe.Offsetof(captureInfo{}.edges), at+unsafe.Offsetof(captureInfo{}.n)
	f, args := table.cuStreamGetCaptureInfo3, []uintptr{uintptr(s), status, id, 0, list, edges, n}
	if f == 0 {
		f, args = table.cuStreamGetCaptureInfo, []uintptr{uintptr(s), status, id, 0, list, n}
	}
	r := abi.InvalidContext
	if s > abi.PerThreadStream { // a stream that was created says which context it is of, and a change of context takes longer than the call
		r = call(f, args...)
	}
	if r == abi.InvalidContext {
		r = in(ctx, f, args...)
	}
	c := placed[captureInfo](m)
	info := abi.CaptureInfo{Status: c.status, ID: c.id, Nodes: int(c.n)}
	one := make([]abi.GraphNode, 1)
	if info.Nodes == 1 {
		nodes = one
	}
	if r == abi.Success && c.status == abi.CaptureActive && info.Nodes <= len(nodes) {
		var edges []layout.Edge
		if c.edges != nil {
			edges = unsafe.Slice((*layout.Edge)(c.edges), info.Nodes)
		}
		info.Ordered = ordered(unsafe.Slice((*abi.GraphNode)(c.nodes), info.Nodes), edges, nodes)
	}
	info.First = one[0]
	return info, r
}

// GraphNodeGetDependencies lists the nodes whose work is done before that of a node begins.
func (Driver) GraphNodeGetDependencies(n abi.GraphNode, nodes []abi.GraphNode) (count int, full bool, r abi.Result) {
	m := borrow()
	defer m.giveBack()
	list, edges := make([]abi.GraphNode, len(nodes)+1), make([]layout.Edge, len(nodes)+1)
	ask := func(list, edges uintptr) abi.Result {
		if table.cuGraphNodeGetDependencies2 != 0 {
			return call(table.cuGraphNodeGetDependencies2, uintptr(n), list, edges, m.toFirst())
		}
		return call(table.cuGraphNodeGetDependencies, uintptr(n), list, m.toFirst())
	}
	m.first = uint64(len(nodes))
	if r = ask(m.hold(unsafe.Pointer(&list[0])), m.hold(unsafe.Pointer(&edges[0]))); r != abi.Success {
		return 0, false, r
	}
	if k := int(m.first); k < len(nodes) {
		return ordered(list[:k], edges[:k], nodes), true, r
	}
	r = ask(0, 0)
	return int(m.first), false, r
}

// userObjects are those that the driver has not ended, or whose end the program has not seen. The driver gets their numbers, and no Go pointer.
var userObjects struct {
	sync.Map // uint64 to *userObject
	last     atomic.Uint64
}

type userObject struct {
	object uint64
	gone   atomic.Bool
}

// userObjectEnd is what the driver calls, on a thread of its own.
var userObjectEnd = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(n uintptr) { userObjectOf(abi.UserObject(n)).gone.Store(true) })
})

func userObjectOf(o abi.UserObject) *userObject {
	u, _ := userObjects.Load(uint64(o))
	return u.(*userObject)
}

// UserObjectCreate makes an object with one reference.
func (Driver) UserObjectCreate() (abi.UserObject, abi.Result) {
	u, n := new(userObject), userObjects.last.Add(1)
	userObjects.Store(n, u)
	object, r := fetch(table.cuUserObjectCreate, uintptr(n), userObjectEnd(), 1, abi.UserObjectNoSync)
	if r != abi.Success {
		userObjects.Delete(n)
		return 0, r
	}
	u.object = object
	return abi.UserObject(n), r
}

// UserObjectRelease ends the reference.
func (Driver) UserObjectRelease(o abi.UserObject) abi.Result {
	return call(table.cuUserObjectRelease, uintptr(userObjectOf(o).object), 1)
}

// GraphRetainUserObject moves the reference to a graph.
func (Driver) GraphRetainUserObject(g abi.Graph, o abi.UserObject) abi.Result {
	return call(table.cuGraphRetainUserObject, uintptr(g), uintptr(userObjectOf(o).object), 1, abi.UserObjectMove)
}

// UserObjectGone reports whether the driver has ended the object.
func (Driver) UserObjectGone(o abi.UserObject) (bool, abi.Result) {
	gone := userObjectOf(o).gone.Load()
	if gone {
		userObjects.Delete(uint64(o))
	}
	return gone, abi.Success
}
