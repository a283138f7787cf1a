package poolimpl

import (
	"cmp"
	"slices"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// graphs are the parts of a pool's memory that are private to graphs. Their chunks are in no core and not in chunkTable; they are part of limits.reserved.
type graphs struct {
	list       []*GraphMemory
	bytes      int64   // of all stocks
	chunks     int64   // what these are in limits.chunks
	unreturned []Chunk // of graphs that are gone: the source refused to take them back
	// Engine.returnPrivate once there is something to return, as a variable, so that programs without graphs do not link it.
	returns func(*Engine) (released int64, err error)
}

// giveBackPrivate is returnPrivate if there may be something to return.
func (e *Engine) giveBackPrivate() (released int64, err error) {
	if e.graphs.returns == nil {
		return 0, nil
	}
	return e.graphs.returns(e)
}

// NewGraphMemory begins the memory of a graph, in a capture that has just begun. The stocks of the graphs after, which never run at the same time, become stocks
// of this one too, without the blocks that are live at their ends. gone reports whether nobody can launch the graph any more; the pool asks on its slow
// paths. The caller does not hold e.mu.
func (e *Engine) NewGraphMemory(after []*GraphMemory, gone func() bool) (*GraphMemory, error) {
	e.lock()
	defer e.unlockAndNotify()
	if e.config.Private == 0 {
		return nil, detailed(e.newError("capture", poolrt.ErrUnsupported), "the pool file has no capture: private")
	}
	if err := e.mayGrowPrivate(); err != nil {
		return nil, e.newError("capture", err)
	}
	g := &GraphMemory{engine: e, gone: gone, live: map[uint64]graphBlock{}}
	g.stocks = []*stock{{users: []*GraphMemory{g}}}
	for _, other := range after {
		for _, s := range other.stocks {
			g.share(s, after)
		}
	}
	e.graphs.list, e.graphs.returns = append(e.graphs.list, g), (*Engine).returnPrivate
	return g, nil
}

// share makes a stock that of one more graph, unless it is also that of a graph which may run at the same time. The capture of its graph has ended, so a stock without
// chunks remains one.
func (g *GraphMemory) share(s *stock, after []*GraphMemory) {
	if len(s.chunks) == 0 || slices.Contains(s.users, g) || len(s.users) == 0 {
		return
	}
	var taken extents
	for _, user := range s.users {
		if !slices.Contains(after, user) {
			return
		}
		for addr, b := range user.live {
			taken.insert(Extent{addr, b.size})
		}
	}
	for _, area := range s.areas {
		for _, x := range taken.gaps(area) {
			g.insert(freeRange{x, area.Addr, nil})
		}
	}
	s.users, g.stocks = append(s.users, g), append(g.stocks, s)
}

// gaps returns the parts of x outside the ranges.
func (l extents) gaps(x Extent) (rest []Extent) {
	for at := l.search(x.Addr); at < len(l) && l[at].Addr < x.end(); at++ {
		if l[at].Addr > x.Addr {
			rest = append(rest, Extent{x.Addr, l[at].Addr - x.Addr})
		}
		end := min(x.end(), l[at].end())
		x = Extent{end, x.end() - end}
	}
	if x.Size > 0 {
		rest = append(rest, x)
	}
	return rest
}

// Pool returns the engine of the pool.
func (g *GraphMemory) Pool() *Engine { return g.engine }

// Device returns the device of the memory.
func (g *GraphMemory) Device() int {
	g.engine.lock()
	defer g.engine.unlock()
	return g.engine.memory.Device
}

// End ends the capture: the graph has the memory until gone reports true, and its live blocks stay live. The caller does not hold e.mu.
func (g *GraphMemory) End() {
	g.engine.lock()
	defer g.engine.unlock()
	g.ended, g.free = true, nil
}

// Drop gives the memory back, as there is no graph. The caller does not hold e.mu.
func (g *GraphMemory) Drop() {
	e := g.engine
	e.lock()
	defer e.unlockAndNotify()
	g.ended, g.gone = true, func() bool { return true }
	_, _ = e.returnPrivate() // what the source refuses is tried again later
}

// Usable returns why the graph cannot be launched: its memory is not there. The caller does not hold e.mu.
func (g *GraphMemory) Usable() error {
	e := g.engine
	e.lock()
	defer e.unlockAndNotify()
	switch {
	case g.over:
		return e.newError("launch", poolrt.ErrClosed)
	case e.streams.resting:
		return e.newError("launch", poolrt.ErrAsleep)
	}
	return nil
}

// Contents returns the bytes of the memory, those that other graphs may use at other times included, and the places of the live blocks. The caller does not hold e.mu.
func (g *GraphMemory) Contents() (bytes int64, live []Extent) {
	e := g.engine
	e.lock()
	defer e.unlock()
	for _, s := range g.stocks {
		bytes += sizeOf(s.chunks)
	}
	for addr, b := range g.live {
		live = append(live, Extent{addr * e.observed.debug.apart(), b.bytes})
	}
	slices.SortFunc(live, func(a, b Extent) int { return cmp.Compare(a.Addr, b.Addr) })
	return bytes, live
}

// returnPrivate returns the stocks of graphs that are gone, to the source or to the core. The lock is released meanwhile.
func (e *Engine) returnPrivate() (released int64, err error) {
	var chunks, fromCore []Chunk
	e.graphs.list = slices.DeleteFunc(e.graphs.list, func(g *GraphMemory) bool {
		if !g.ended || !g.gone() {
			return false
		}
		own, others := g.leave()
		chunks, fromCore = append(chunks, own...), append(fromCore, others...)
		return true
	})
	e.graphs.bytes -= sizeOf(chunks) + sizeOf(fromCore)
	e.graphs.chunks -= e.memory.pieces(chunks) + int64(len(fromCore))
	e.takeBackSpares(fromCore)
	chunks = append(chunks, e.graphs.unreturned...)
	e.graphs.unreturned = nil
	if len(chunks) == 0 {
		return 0, nil
	}
	released, err = e.release(poolrt.EventTrim, chunks, func(c Chunk) { e.graphs.unreturned = append(e.graphs.unreturned, c) })
	if d := e.core.driver; d != nil {
		e.limits.reserved += released // which uncountPrivate subtracts
		d.uncountPrivate(e, released)
	}
	return released, err
}

// takeBackSpares adds chunks of graphs to the core again, for those who wait, and follows the trim policy. The lock may be released meanwhile.
func (e *Engine) takeBackSpares(chunks []Chunk) {
	if len(chunks) == 0 {
		return
	}
	for _, c := range chunks {
		e.memory.layout.insert(c)
	}
	e.wakeNext()
	e.shedAtOnce()
}

// anyKept reports whether a graph can be launched, or is being captured or launched.
func (g *graphs) anyKept() bool {
	return slices.ContainsFunc(g.list, func(m *GraphMemory) bool { return !m.ended || !m.gone() })
}

// leave ends the memory of a graph. It returns the chunks that no other graph uses: those that came from the source, and those that came from the core.
func (g *GraphMemory) leave() (own, fromCore []Chunk) {
	for _, s := range g.stocks {
		if s.users = slices.DeleteFunc(s.users, func(u *GraphMemory) bool { return u == g }); len(s.users) > 0 {
			continue
		}
		for _, c := range s.chunks {
			if slices.Contains(s.fromCore, c.Addr) {
				fromCore = append(fromCore, c)
			} else {
				own = append(own, c)
			}
		}
	}
	g.over, g.stocks, g.free, g.live = true, nil, nil, nil
	return own, fromCore
}

// evictAll ends the memory of all graphs of a pool that is being closed, and returns it.
func (g *graphs) evictAll() (chunks []Chunk) {
	for _, m := range g.list {
		own, fromCore := m.leave()
		chunks = slices.Concat(chunks, own, fromCore)
	}
	chunks = append(chunks, g.unreturned...)
	*g = graphs{}
	return chunks
}

// overlaps reports whether a chunk overlaps memory of graphs.
func (g *graphs) overlaps(c Chunk) bool {
	return slices.ContainsFunc(g.unreturned, c.overlaps) || slices.ContainsFunc(g.list, func(m *GraphMemory) bool {
		return slices.ContainsFunc(m.stocks, func(s *stock) bool { return slices.ContainsFunc(s.chunks, c.overlaps) })
	})
}

// of returns the memory that an address lies in, nil if it is that of no graph.
func (g *graphs) of(addr uint64) *GraphMemory {
	for _, m := range g.list {
		if m.holds(addr) {
			return m
		}
	}
	return nil
}

// graphError refuses to close a pool that has memory of graphs.
func (e *Engine) graphError() error {
	return detailed(e.newError("close", poolrt.ErrLive), "the pool has memory that is private to %s: close these, and what was instantiated from them",
		figure.Count(int64(len(e.graphs.list)), "graph"))
}

// describe adds the figures.
func (g *graphs) describe(to *poolrt.Stats) {
	to.Graphs, to.Private = int64(len(g.list)), g.bytes
	for _, m := range g.list {
		to.Outputs += int64(len(m.live))
	}
}
