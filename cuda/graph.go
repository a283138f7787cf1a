package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Graph is captured work, which can be launched any number of times. It is a small value that can be copied.
type Graph struct {
	handle uintptr
	device Device
}

// Handle returns the driver's handle (CUgraph).
func (g Graph) Handle() uintptr { return g.handle }

// Instantiate makes the graph ready to be launched many times. It takes some microseconds for each node. The result does not depend on the graph any
// more, which may be closed.
func (g Graph) Instantiate() (GraphExec, error) {
	t, ctx, err := g.device.table()
	if err != nil {
		return GraphExec{}, err
	}
	e, r := t.GraphInstantiate(ctx, abi.Graph(g.handle))
	return GraphExec{handle: uintptr(e), device: g.device}, check(r, "GraphInstantiateWithFlags", g.device, 0)
}

// Launch queues the work on a stream, once. It instantiates the graph for this launch: a program that launches a graph often calls [Graph.Instantiate]
// once.
func (g Graph) Launch(s Stream) error {
	e, err := g.Instantiate()
	if err != nil {
		return err
	}
	err = e.Launch(s)
	if closed := e.Close(); err == nil {
		err = closed
	}
	return err
}

// Close destroys the graph. Launches under way are completed.
func (g Graph) Close() error {
	t, _, err := g.device.table()
	if err != nil {
		return err
	}
	return check(t.GraphDestroy(abi.Graph(g.handle)), "GraphDestroy", g.device, 0)
}

// GraphExec is an instantiated graph (CUgraphExec). It is a small value that can be copied.
//
// The launches of one GraphExec run one after the other, on whatever streams they are launched: the driver makes each wait for the one before. Work
// that is to run side by side needs one GraphExec for each. Calls for one GraphExec must not run at the same time: the driver does not lock it.
type GraphExec struct {
	handle uintptr
	device Device
}

// Handle returns the driver's handle (CUgraphExec).
func (e GraphExec) Handle() uintptr { return e.handle }

// Launch queues the work on a stream. It takes some microseconds, and does not wait for the work. On a stream that captures, the work becomes part of
// the capture.
func (e GraphExec) Launch(s Stream) error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.GraphLaunch(ctx, abi.GraphExec(e.handle), h), "GraphLaunch", s.device, 0)
}

// Close destroys the instantiated graph. Launches under way are completed.
func (e GraphExec) Close() error {
	t, ctx, err := e.device.table()
	if err != nil {
		return err
	}
	return check(t.GraphExecDestroy(ctx, abi.GraphExec(e.handle)), "GraphExecDestroy", e.device, 0)
}
