package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Graph is captured work, which can be launched any number of times. It is a small value that can be copied.
//
// A graph of [Stream.BeginCaptureWith] has memory of pools for itself. Then all launches of the graph run one after the other, and it is launched on the device
// where it was captured, not as a part of another graph.
type Graph struct {
	handle  uintptr
	device  Device
	private *private // nil: no pool took part in the capture
}

// Handle returns the driver's handle (CUgraph).
func (g Graph) Handle() uintptr { return g.handle }

// Instantiate makes the graph ready to be launched many times. It takes some microseconds for each node. The result does not depend on the graph any
// more, which may be closed. For a graph with memory for itself, all calls return the same instantiated graph, each to be closed.
func (g Graph) Instantiate() (GraphExec, error) {
	if g.private != nil {
		return g.private.instantiate()
	}
	t, ctx, err := g.device.table()
	if err != nil {
		return GraphExec{}, err
	}
	e, r := t.GraphInstantiate(ctx, abi.Graph(g.handle))
	return GraphExec{handle: uintptr(e), device: g.device}, check(r, "GraphInstantiateWithFlags", g.device, 0)
}

// Launch queues the work on a stream, once. It instantiates the graph for this launch: a program that launches a graph often calls [Graph.Instantiate]
// once. A graph with memory for itself is instantiated by its first launch; if that memory is of a pool asleep, the error matches [poolrt.ErrAsleep].
func (g Graph) Launch(s Stream) error {
	if g.private != nil {
		return g.private.launchGraph(s)
	}
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

// Close destroys the graph. Launches under way are completed. Memory of its own goes back to the pools after the last launch, when a pool next leaves its fast path.
func (g Graph) Close() error {
	if g.private != nil {
		return g.private.closeGraph()
	}
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
	use    *execUse // of a graph with memory for itself
}

// Handle returns the driver's handle (CUgraphExec).
func (e GraphExec) Handle() uintptr { return e.handle }

// Launch queues the work on a stream. It takes some microseconds, and does not wait for the work. On a stream that captures, the work becomes part of
// the capture.
func (e GraphExec) Launch(s Stream) error {
	if e.use != nil {
		return e.use.launchExec(s)
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.GraphLaunch(ctx, abi.GraphExec(e.handle), h), "GraphLaunch", s.device, 0)
}

// Close destroys the instantiated graph. Launches under way are completed.
func (e GraphExec) Close() error {
	if e.use != nil {
		return e.use.closeExec()
	}
	t, ctx, err := e.device.table()
	if err != nil {
		return err
	}
	return check(t.GraphExecDestroy(ctx, abi.GraphExec(e.handle)), "GraphExecDestroy", e.device, 0)
}
