package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// capturedNode is a node of the graph that is captured.
type capturedNode struct {
	handle  abi.GraphNode
	follows []int32 // the nodes whose work is done before its own begins
	asked   bool    // follows is known
}

// capturedStream is what is known of a captured stream. A stream comes behind more and more nodes.
type capturedStream struct {
	handle abi.Stream
	passed poolimpl.Nodes // their work is done before the next work of the stream begins
	walked poolimpl.Nodes // part of passed: so is that of all that they follow
}

// position is where a captured stream is.
type position struct {
	*capturedStream
	front   []int32 // the nodes that its next work follows directly; not to be changed
	ordered int     // the first of them, whose work is done before that begins
}

const (
	usualNodes  = 32  // in front of a stream or a node: there is room for so many at first
	usualPoints = 128 // at which a capture allocates or frees: that many nodes are numbered before the table grows
)

// capture returns the capture that a stream takes part in, locked, and where the stream is there. It is nil if no pool takes part in the capture, and with an error.
func (s Stream) capture() (c *capture, at position, captured bool, err error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return nil, at, false, err
	}
	info, r := t.StreamGetCaptureInfo(ctx, h, nil)
	switch {
	case r == abi.NoFunction:
		captured, err = s.joinsCapture()
		return nil, at, captured, err
	case r != abi.Success && !outsideCaptures(r):
		return nil, at, false, check(r, opCaptureInfo, s.device, 0)
	case r != abi.Success || info.Status == abi.CaptureNone:
		return nil, at, false, nil
	}
	if c = captureOf(info.ID); c == nil {
		return nil, at, true, nil
	}
	c.mu.Lock()
	if info.Nodes > 1 {
		info, r = c.describe(t, ctx, h, info.Nodes)
	}
	if r != abi.Success || info.Status != abi.CaptureActive {
		c.mu.Unlock()
		return nil, at, true, check(r, opCaptureInfo, s.device, 0)
	}
	return c, position{c.stream(h), c.front(info), info.Ordered}, true, nil
}

// describe asks where a stream is that several nodes are in front of. These are in c.room then.
func (c *capture) describe(t abi.Driver, ctx abi.Context, h abi.Stream, nodes int) (info abi.CaptureInfo, r abi.Result) {
	for info.Nodes = nodes; ; {
		if info.Nodes > len(c.room) {
			c.room = make([]abi.GraphNode, 2*info.Nodes)
		}
		if info, r = t.StreamGetCaptureInfo(ctx, h, c.room); r != abi.Success || info.Nodes <= len(c.room) {
			return info, r
		}
	}
}

// front returns the numbers of the nodes that a description lists.
func (c *capture) front(info abi.CaptureInfo) []int32 {
	if info.Nodes > 1 {
		return c.list(c.room[:info.Nodes])
	}
	return c.list([]abi.GraphNode{info.First}[:info.Nodes])
}

// captureOf returns the capture with a number; nil if no pool takes part in it.
func captureOf(id uint64) *capture {
	captures.mu.Lock()
	defer captures.mu.Unlock()
	for _, c := range captures.pools { // few
		if c.id == id {
			return c
		}
	}
	return nil
}

// stream returns what is known of a stream.
func (c *capture) stream(h abi.Stream) *capturedStream {
	for _, s := range c.streams { // few
		if s.handle == h {
			return s
		}
	}
	s := &capturedStream{handle: h}
	c.streams = append(c.streams, s)
	return s
}

// list returns the numbers of nodes. Nobody may change the list: that of one node, as most are, is a part of c.numbered.
func (c *capture) list(handles []abi.GraphNode) (list []int32) {
	if len(handles) == 1 {
		n := c.number(handles[0])
		return c.numbered[n : n+1 : n+1]
	}
	for _, h := range handles {
		list = append(list, c.number(h))
	}
	return list
}

// number returns the number of a node.
func (c *capture) number(handle abi.GraphNode) int32 {
	n, ok := c.numbers[handle]
	if !ok {
		n = int32(len(c.nodes))
		c.numbers[handle] = n
		c.nodes, c.numbered = append(c.nodes, capturedNode{handle: handle}), append(c.numbered, n)
	}
	return n
}

// point returns a position with what is known to come before it. At least the nodes directly in front do.
func (at position) point() poolimpl.Point {
	for _, n := range at.front[:at.ordered] {
		at.passed.Add(n)
	}
	return poolimpl.Point{Front: at.front, Before: at.passed}
}

// walk finds all nodes whose work is done before the next work of a stream begins.
func (c *capture) walk(at position) error {
	var next []int32
	visit := func(list []int32) {
		for _, n := range list {
			if at.walked.Add(n) {
				next = append(next, n)
			}
		}
	}
	for visit(at.front[:at.ordered]); len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		at.passed.Add(n)
		follows, err := c.follows(n)
		if err != nil {
			at.walked = nil // the walk begins anew
			return err
		}
		visit(follows)
	}
	return nil
}

// follows returns the nodes that a node follows directly.
func (c *capture) follows(n int32) ([]int32, error) {
	for !c.nodes[n].asked {
		count, full, r := driver.Table().GraphNodeGetDependencies(c.nodes[n].handle, c.room)
		if r != abi.Success {
			return nil, check(r, "GraphNodeGetDependencies", c.device, 0)
		}
		if !full {
			c.room = make([]abi.GraphNode, 2*count+1)
			continue
		}
		list := c.list(c.room[:count]) // it may move the nodes
		c.nodes[n].follows, c.nodes[n].asked = list, true
	}
	return c.nodes[n].follows, nil
}
