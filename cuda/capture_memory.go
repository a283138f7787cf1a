package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// capture is a capture under way, with the memory that pools have for it.
//
// A block that was freed on a captured stream can be used again by what comes after the nodes that were last on that stream. The order of the nodes is known to the
// driver alone: a stream gets memory that another one freed if these nodes are found by walking back from where the stream is. Each node is visited once for
// each stream, and only when memory is missing otherwise.
type capture struct {
	id     uint64
	device Device
	owner  *owner
	memory graphMemory // of each pool that takes part

	mu       sync.Mutex // guards the fields below
	numbers  map[abi.GraphNode]int32
	nodes    []capturedNode // by number
	numbered []int32        // 0, 1, 2 and so on, for each node: a part of it is the list of one node
	streams  []*capturedStream
	borrowed map[borrowedBlock]*poolimpl.Engine // blocks of one pool that were allocated for another, by its ladder
	room     []abi.GraphNode                    // for answers of the driver
}

// borrowedBlock is a block as a pool knows it that has borrowed the block.
type borrowedBlock struct {
	borrower *poolimpl.Engine
	addr     uint64
}

// owner stands for the graph, its copies and all that was instantiated from them.
type owner struct {
	mu     sync.Mutex
	table  abi.Driver
	object abi.UserObject
	ended  bool
}

// gone reports whether nobody can launch the graph any more, and no launch is under way.
func (o *owner) gone() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.ended, _ = o.table.UserObjectGone(o.object)
	}
	return o.ended
}

// newCapture begins the memory of each pool.
func (s Stream) newCapture(pools []poolrt.Capturer, after []Graph) (c *capture, err error) {
	c = &capture{device: s.device}
	if len(pools) == 0 {
		return c, nil
	}
	t := driver.Table()
	object, r := t.UserObjectCreate()
	if r != abi.Success {
		return nil, check(r, "UserObjectCreate", s.device, 0)
	}
	c.owner = &owner{table: t, object: object}
	c.numbers, c.borrowed = make(map[abi.GraphNode]int32, usualPoints), map[borrowedBlock]*poolimpl.Engine{}
	c.room = make([]abi.GraphNode, usualNodes)
	for _, p := range pools {
		if err := c.admit(p, after); err != nil {
			c.drop()
			return nil, err
		}
	}
	return c, nil
}

// admit lets one pool take part.
func (c *capture) admit(p poolrt.Capturer, after []Graph) error {
	if p == nil {
		return misuse("StreamBeginCapture", poolrt.ErrUnsupported, "a pool is nil")
	}
	e, ok := p.CapturePool().(*poolimpl.Engine)
	switch {
	case !ok:
		return misuse("StreamBeginCapture", poolrt.ErrUnsupported, fmt.Sprintf("%T is no generated pool", p))
	case c.memory.of(e) != nil:
		return nil
	}
	var earlier []*poolimpl.GraphMemory
	for _, g := range after {
		if m := g.private.of(e); m != nil {
			earlier = append(earlier, m)
		}
	}
	m, err := e.NewGraphMemory(earlier, c.owner.gone)
	if err != nil {
		return err
	}
	c.memory = append(c.memory, m)
	if at := m.Device(); at != int(c.device) {
		return misuse("StreamBeginCapture", poolrt.ErrUnsupported, fmt.Sprintf("pool %s is on device %d, the stream on device %d", e.Name(), at, c.device))
	}
	return nil
}

// graphMemory is what pools have for a graph, each once.
type graphMemory []*poolimpl.GraphMemory

// of returns the memory of a pool; nil if the pool takes no part.
func (l graphMemory) of(e *poolimpl.Engine) *poolimpl.GraphMemory {
	for _, m := range l { // few
		if m.Pool() == e {
			return m
		}
	}
	return nil
}

// identify learns the number of the capture, which has just begun.
func (c *capture) identify(t abi.Driver, ctx abi.Context, h abi.Stream) error {
	info, r := t.StreamGetCaptureInfo(ctx, h, nil)
	if r != abi.Success {
		return check(r, opCaptureInfo, c.device, 0)
	}
	captures.mu.Lock()
	defer captures.mu.Unlock()
	c.id = info.ID
	captures.pools = append(captures.pools, c)
	return nil
}

const opCaptureInfo = "StreamGetCaptureInfo"

// drop gives the memory back, as there is no graph.
func (c *capture) drop() {
	if c.owner == nil {
		return
	}
	c.owner.table.UserObjectRelease(c.owner.object)
	c.owner.gone()
	for _, m := range c.memory {
		m.Drop()
	}
}

// end makes the graph the owner of the memory.
func (c *capture) end(t abi.Driver, g Graph) (Graph, error) {
	if len(c.memory) == 0 {
		return g, nil
	}
	if r := t.GraphRetainUserObject(abi.Graph(g.handle), c.owner.object); r != abi.Success {
		err := check(r, "GraphRetainUserObject", g.device, 0)
		c.drop()
		return Graph{}, errors.Join(err, g.Close())
	}
	g.private = &private{device: g.device, handle: abi.Graph(g.handle), owner: c.owner, memory: c.memory}
	for _, m := range c.memory {
		m.End()
	}
	return g, nil
}
