package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// capture records the work of some streams as a graph instead of running it.
type capture struct {
	id      uint64
	origin  *stream
	joined  []*stream // the origin included
	nodes   []node
	invalid bool
	ended   bool
}

// node is work of a captured stream.
type node struct {
	work
	after  []int
	branch int // which of the captured streams
}

// mark is the position of an event that was recorded in a capture.
type mark struct {
	capture *capture
	front   []int
}

// record adds work after the earlier work of its stream.
func (c *capture) record(s *stream, w work) abi.Result {
	if c.invalid {
		return abi.StreamCaptureInvalidated
	}
	c.nodes = append(c.nodes, node{work: w, after: s.front, branch: s.branch})
	s.front = []int{len(c.nodes) - 1}
	return abi.Success
}

// mark makes an event stand for the work of its stream so far.
func (c *capture) mark(s *stream, e *event) abi.Result {
	if c.invalid {
		return abi.StreamCaptureInvalidated
	}
	e.mark = &mark{capture: c, front: s.front}
	return abi.Success
}

// join makes a stream wait for the mark: it becomes part of the capture.
func (m *mark) join(s *stream) abi.Result {
	c := m.capture
	switch {
	case c.ended:
		return abi.CapturedEvent
	case c.invalid:
		return abi.StreamCaptureInvalidated
	case s.capture == nil && s == s.ctx.legacy:
		return abi.StreamCaptureImplicit
	case s.capture == nil:
		s.capture, s.branch, s.front = c, len(c.joined), nil
		c.joined = append(c.joined, s)
	case s.capture != c:
		c.invalid, s.capture.invalid = true, true
		return captureMerge
	}
	front := append(slices.Clone(s.front), m.front...)
	slices.Sort(front)
	s.front = slices.Compact(front)
	return abi.Success
}

// complete reports whether all nodes come before what the origin does next.
func (c *capture) complete() bool {
	before := make([]bool, len(c.nodes))
	for _, n := range c.origin.front {
		before[n] = true
	}
	for i := len(c.nodes) - 1; i >= 0; i-- {
		if !before[i] {
			return false
		}
		for _, n := range c.nodes[i].after {
			before[n] = true
		}
	}
	return true
}

// end stops capturing.
func (c *capture) end() {
	c.ended = true
	for _, s := range c.joined {
		s.capture, s.front = nil, nil
	}
}

// lose removes a stream that is destroyed. If it began the capture, the capture ends, because nobody could end it later.
func (d *Driver) lose(s *stream) {
	c := s.capture
	c.invalid = true
	if s == c.origin {
		c.end()
		delete(d.captured, c.id)
	}
	s.capture, s.front = nil, nil
}

// holdsLegacy reports whether the legacy default stream would have to wait for a stream that is capturing.
func (s *stream) holdsLegacy() bool { return s.blocking && s.capture != nil }

// implicit refuses work on a legacy default stream while a stream captures that it would have to wait for.
func (d *Driver) implicit(s *stream) abi.Result {
	if s == s.ctx.legacy && d.spoil(s.ctx, (*stream).holdsLegacy) {
		return abi.StreamCaptureImplicit
	}
	return abi.Success
}

// spoilCaptures invalidates all captures of a context and reports whether there were any.
func (d *Driver) spoilCaptures(c *context) bool {
	return d.spoil(c, func(s *stream) bool { return s.capture != nil })
}

func (d *Driver) spoil(c *context, which func(*stream) bool) bool {
	found := false
	for _, s := range c.all {
		if which(s) {
			s.capture.invalid, found = true, true
		}
	}
	return found
}

// unobservable refuses queries of a stream that is capturing, which invalidate the capture.
func (d *Driver) unobservable(s *stream) abi.Result {
	if s.capture != nil {
		s.capture.invalid = true
		return abi.StreamCaptureUnsupported
	}
	return d.implicit(s)
}

// StreamIsCapturing reports whether a stream takes part in a capture.
func (d *Driver) StreamIsCapturing(ctx abi.Context, h abi.Stream) (bool, abi.Result) {
	s, r := d.beginStream("cuStreamIsCapturing", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return false, r
	}
	if s == s.ctx.legacy && slices.ContainsFunc(s.ctx.all, (*stream).holdsLegacy) {
		return false, abi.StreamCaptureImplicit // the capture stays valid
	}
	return s.capture != nil, abi.Success
}

// StreamBeginCapture starts a capture, in relaxed mode. A legacy default stream cannot capture.
func (d *Driver) StreamBeginCapture(ctx abi.Context, h abi.Stream) abi.Result {
	s, r := d.beginStream("cuStreamBeginCapture", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return r
	case s == s.ctx.legacy:
		return abi.StreamCaptureUnsupported
	case s.capture != nil:
		s.capture.invalid = true
		return abi.IllegalState
	}
	s.capture, s.front, s.branch = &capture{id: d.number(), origin: s, joined: []*stream{s}}, nil, 0
	d.captured[s.capture.id] = s.capture
	return abi.Success
}

// StreamGetCaptureInfo describes the capture that a stream takes part in. All dependencies are of the default type.
func (d *Driver) StreamGetCaptureInfo(ctx abi.Context, h abi.Stream, nodes []abi.GraphNode) (info abi.CaptureInfo, _ abi.Result) {
	s, r := d.beginStream("cuStreamGetCaptureInfo", ctx, h)
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return info, r
	case s == s.ctx.legacy && slices.ContainsFunc(s.ctx.all, (*stream).holdsLegacy):
		return info, abi.StreamCaptureImplicit // the capture stays valid
	case s.capture == nil:
		return info, abi.Success
	}
	c := s.capture
	info = abi.CaptureInfo{Status: abi.CaptureActive, ID: c.id}
	if c.invalid {
		info.Status = abi.CaptureInvalidated
		return info, abi.Success
	}
	info.Nodes = len(s.front)
	one := make([]abi.GraphNode, 1)
	if info.Nodes == 1 {
		nodes = one
	}
	if c.list(s.front, nodes) {
		info.Ordered = info.Nodes
	}
	info.First = one[0]
	return info, abi.Success
}

// mostNodes is how many nodes a capture may have: a handle of a node is that of its capture with the index.
const mostNodes = 1 << 24

// list writes the handles of nodes, if there is room for all.
func (c *capture) list(nodes []int, to []abi.GraphNode) bool {
	if len(nodes) > len(to) {
		return false
	}
	for i, n := range nodes {
		to[i] = abi.GraphNode(c.id*mostNodes + uint64(n))
	}
	return true
}

// GraphNodeGetDependencies lists the nodes that a node follows directly, while its capture is under way.
func (d *Driver) GraphNodeGetDependencies(n abi.GraphNode, nodes []abi.GraphNode) (count int, full bool, _ abi.Result) {
	r := d.begin("cuGraphNodeGetDependencies")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, false, r
	}
	c, index := d.captured[uint64(n)/mostNodes], int(uint64(n)%mostNodes)
	if c == nil || index >= len(c.nodes) {
		return 0, false, abi.InvalidValue
	}
	after := c.nodes[index].after
	return len(after), c.list(after, nodes), abi.Success
}

// StreamEndCapture ends a capture on the stream that began it; all streams that joined must have been waited for.
func (d *Driver) StreamEndCapture(ctx abi.Context, h abi.Stream) (abi.Graph, abi.Result) {
	s, r := d.beginStream("cuStreamEndCapture", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	c := s.capture
	switch {
	case c == nil:
		return 0, abi.IllegalState
	case c.origin != s:
		c.invalid = true
		return 0, captureUnmatched
	}
	complete := c.complete()
	c.end()
	delete(d.captured, c.id)
	switch {
	case c.invalid:
		return 0, abi.StreamCaptureInvalidated
	case !complete:
		return 0, abi.StreamCaptureUnjoined
	}
	g := abi.Graph(d.handle(KindGraph))
	d.graphs[g] = &graph{nodes: c.nodes, branches: len(c.joined)}
	d.born(KindGraph, uint64(g), 0)
	return g, abi.Success
}
