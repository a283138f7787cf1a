package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// graph is what a capture recorded.
type graph struct {
	nodes    []node
	branches int
	owns     []*userObject
}

// graphExec is an instantiated graph. It does not change with the graph, and outlives it.
type graphExec struct {
	*graph
	owns []*userObject // as the graph did when it was instantiated
	last *op           // the end of the last launch
}

// GraphInstantiate makes a graph ready to be launched.
func (d *Driver) GraphInstantiate(ctx abi.Context, h abi.Graph) (abi.GraphExec, abi.Result) {
	_, r := d.beginIn("cuGraphInstantiateWithFlags", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	g := d.graphs[h]
	if g == nil {
		return 0, abi.InvalidHandle
	}
	e := abi.GraphExec(d.handle(KindGraphExec))
	d.execs[e] = &graphExec{graph: g, owns: slices.Clone(g.owns)}
	retain(g.owns)
	d.born(KindGraphExec, uint64(e), 0)
	return e, abi.Success
}

// GraphExecDestroy destroys an instantiated graph; launches of it still run.
func (d *Driver) GraphExecDestroy(ctx abi.Context, h abi.GraphExec) abi.Result {
	_, r := d.beginIn("cuGraphExecDestroy", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	e := d.execs[h]
	if e == nil {
		d.badRelease("cuGraphExecDestroy", uint64(h))
		return abi.InvalidHandle
	}
	d.disown(e.owns, e.last)
	delete(d.execs, h)
	d.died(KindGraphExec, uint64(h))
	return abi.Success
}

// GraphLaunch queues the work of an instantiated graph on a stream, after its earlier launches. Captured streams run side by side again.
func (d *Driver) GraphLaunch(ctx abi.Context, h abi.GraphExec, sh abi.Stream) abi.Result {
	s, r := d.beginStream("cuGraphLaunch", ctx, sh)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	g := d.execs[h]
	switch {
	case g == nil:
		return abi.InvalidHandle
	case s.capture != nil:
		for _, n := range g.nodes { // as a child: one after the other
			if r := s.capture.record(s, n.work); r != abi.Success {
				return r
			}
		}
		return abi.Success
	}
	if r := d.implicit(s); r != abi.Success {
		return r
	}
	d.launch(g, s)
	return abi.Success
}

// launch queues each node after those it depends on, and an end after all nodes, which is the last operation of the stream.
func (d *Driver) launch(g *graphExec, s *stream) {
	start := d.put(s, work{what: "cuGraphLaunch"}, g.last)
	ops := make([]*op, len(g.nodes))
	branches := make([]hazard.Clock, g.branches)
	where := make([]int, g.branches)
	for i, n := range g.nodes {
		after, clock := []*op{start}, start.clock
		for _, before := range n.after {
			after, clock = append(after, ops[before]), clock.Join(ops[before].clock)
		}
		if branches[n.branch] == nil {
			where[n.branch] = d.takeAxis(clock)
		}
		axis := where[n.branch]
		clock = clock.Tick(axis)
		branches[n.branch] = clock
		point := hazard.Point{Axis: axis, Tick: clock[axis], Where: s.name + " in a graph", What: n.what}
		ops[i] = d.enqueue(s.ctx, n.work.anew(), point, clock, after)
	}
	g.last = d.put(s, work{what: "end of the graph"}, ops...)
	for b, clock := range branches {
		if clock != nil {
			d.releaseAxis(where[b], clock)
		}
	}
}

// GraphDestroy destroys a graph; launches of it still run.
func (d *Driver) GraphDestroy(h abi.Graph) abi.Result {
	r := d.begin("cuGraphDestroy")
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	g := d.graphs[h]
	if g == nil {
		d.badRelease("cuGraphDestroy", uint64(h))
		return abi.InvalidHandle
	}
	d.disown(g.owns, nil)
	delete(d.graphs, h)
	d.died(KindGraph, uint64(h))
	return abi.Success
}
