package cuda

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// PrivateMemory is the memory of pools that belongs to a graph.
type PrivateMemory struct {
	Bytes   int64          // all of it, with what graphs have in common that never run at the same time
	Outputs []PrivateBlock // the blocks that are live at the end of the graph, by pool and address
}

// PrivateBlock is a block in memory that belongs to a graph.
type PrivateBlock struct {
	Pool  string // package and pool: "scene.Vertex"
	Addr  DevicePtr
	Bytes int64
}

// Private returns the memory of pools that belongs to the graph. It is empty for a graph whose capture named no pool.
func (g Graph) Private() (p PrivateMemory) {
	if g.private == nil {
		return p
	}
	for _, m := range g.private.memory {
		bytes, live := m.Contents()
		p.Bytes += bytes
		for _, x := range live {
			p.Outputs = append(p.Outputs, PrivateBlock{m.Pool().Name(), DevicePtr(x.Addr), int64(x.Size)})
		}
	}
	return p
}

// private is a graph with memory for itself. Two launches at once would use that at the same time. So there is only one executable, whose launches the driver
// orders; it exists until the graph is closed, and all that Instantiate has returned.
type private struct {
	device Device
	handle abi.Graph
	owner  *owner
	memory graphMemory

	mu     sync.Mutex
	exec   abi.GraphExec // 0: none yet
	uses   int           // that Instantiate has returned and that are not closed
	closed bool          // the graph is
}

// execUse is what Instantiate has returned once.
type execUse struct {
	*private
	closed bool
}

// of returns the memory that a pool has for the graph; nil if it has none.
func (p *private) of(e *poolimpl.Engine) *poolimpl.GraphMemory {
	if p == nil {
		return nil
	}
	return p.memory.of(e)
}

// instantiate returns the executable, which it makes the first time.
func (p *private) instantiate() (GraphExec, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(); err != nil {
		return GraphExec{}, err
	}
	p.uses++
	return GraphExec{handle: uintptr(p.exec), device: p.device, use: &execUse{private: p}}, nil
}

// ready makes the executable the first time.
func (p *private) ready() error {
	if p.closed {
		return misuse("GraphInstantiateWithFlags", poolrt.ErrClosed, "the graph is closed")
	}
	if p.exec != 0 {
		return nil
	}
	t, ctx, err := p.device.table()
	if err != nil {
		return err
	}
	e, r := t.GraphInstantiate(ctx, p.handle)
	if r == abi.Success {
		p.exec = e
	}
	return check(r, "GraphInstantiateWithFlags", p.device, 0)
}

// launchGraph is Graph.Launch.
func (p *private) launchGraph(s Stream) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.mayLaunch(s); err != nil {
		return err
	}
	if err := p.ready(); err != nil {
		return err
	}
	return p.launch(s)
}

// launchExec is GraphExec.Launch.
func (u *execUse) launchExec(s Stream) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return misuse("GraphLaunch", poolrt.ErrClosed, "the instantiated graph is closed")
	}
	if err := u.mayLaunch(s); err != nil {
		return err
	}
	return u.launch(s)
}

func (p *private) launch(s Stream) error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.GraphLaunch(ctx, p.exec, h), "GraphLaunch", s.device, 0)
}

// mayLaunch returns why the graph cannot be launched on a stream.
func (p *private) mayLaunch(s Stream) error {
	switch {
	case s.device != p.device:
		return misuse("GraphLaunch", poolrt.ErrUnsupported, "a graph with private memory is launched on the device where it was captured")
	case Capturing():
		captured, err := s.joinsCapture()
		if err != nil {
			return err
		}
		if captured {
			return misuse("GraphLaunch", poolrt.ErrUnsupported, "a graph with private memory cannot be a part of another graph")
		}
	}
	for _, m := range p.memory {
		if err := m.Usable(); err != nil {
			return err
		}
	}
	return nil
}

// closeGraph is Graph.Close.
func (p *private) closeGraph() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return misuse("GraphDestroy", poolrt.ErrClosed, "the graph is closed already")
	}
	if r := driver.Table().GraphDestroy(p.handle); r != abi.Success {
		return check(r, "GraphDestroy", p.device, 0)
	}
	p.closed = true
	return p.end()
}

// closeExec is GraphExec.Close.
func (u *execUse) closeExec() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return misuse("GraphExecDestroy", poolrt.ErrClosed, "the instantiated graph is closed already")
	}
	u.closed = true
	u.uses--
	if err := u.end(); err != nil {
		u.closed = false
		u.uses++
		return err
	}
	return nil
}

// end destroys the executable when nobody can launch it any more.
func (p *private) end() error {
	if !p.closed || p.uses > 0 {
		return nil
	}
	if p.exec != 0 {
		t, ctx, err := p.device.table()
		if err == nil {
			err = check(t.GraphExecDestroy(ctx, p.exec), "GraphExecDestroy", p.device, 0)
		}
		if err != nil {
			return err
		}
		p.exec = 0
	}
	p.owner.gone() // pools that were closed by force do not ask
	return nil
}
