package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// NewGraphMemory begins the memory of a graph, in a capture that has just begun. The stocks of the graphs after, which never run at the same time, become stocks
// of this one too, without the blocks that are live at their ends. gone reports whether nobody can launch the graph any more; the pool asks on its slow
// paths. The caller does not hold e.mu.
func (e *Engine) NewGraphMemory(after []*GraphMemory, gone func() bool) (*GraphMemory, error) {
	e.lock()
	defer e.unlockAndNotify()
	if e.config.Private == 0 {
		return nil, detailed(e.newError("capture", poolrt.ErrUnsupported), "the pool file has no capture: private")
	}
	g := &GraphMemory{engine: e, gone: gone, live: map[uint64]graphBlock{}}
	if err := g.mayGrowPrivate(); err != nil {
		return nil, e.newError("capture", err)
	}
	g.stocks = []*stock{{users: []*GraphMemory{g}}}
	for _, other := range after {
		for _, s := range other.stocks {
			g.share(s, after)
		}
	}
	e.graphs.list, e.graphs.returns = append(e.graphs.list, g), (*Engine).returnPrivate
	return g, nil
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

// Take hands out a block of memory that is free at a point. It reports false if there is none. The caller does not hold e.mu.
func (g *GraphMemory) Take(p Point, n int, item, align uint64) (Block, bool) {
	e := g.engine
	if !countable(n, item) {
		return Block{}, false
	}
	e.lock()
	defer e.unlock()
	if g.over || e.streams.resting {
		return Block{}, false
	}
	bytes := uint64(n) * item
	at, size := g.find(p.Before.hasAll, roundUp64(bytes, e.config.Private), align)
	if size == 0 {
		return Block{}, false
	}
	b := g.carve(at, size)
	b.bytes = bytes
	g.live[at] = b
	return Block{foundBlock{Addr: at}, n}, true
}

// MayTake reports whether Take would find a block, or Grow need less, if a point came after all that may use free memory: if not, it does not help to find out what
// comes before the point. The caller does not hold e.mu.
func (g *GraphMemory) MayTake(n int, item, align uint64) bool {
	e := g.engine
	if !countable(n, item) {
		return false
	}
	e.lock()
	defer e.unlock()
	_, size := g.find(func([]int32) bool { return true }, roundUp64(uint64(n)*item, e.config.Private), align)
	return size > 0 || g.extends() && slices.ContainsFunc(g.stocks[0].areas, g.endsFree)
}

// Free frees a block at a point, which comes after all work on it. Its memory is free for what follows. It reports false, and does nothing, if the address does not lie
// in the memory. The caller does not hold e.mu.
func (g *GraphMemory) Free(p Point, addr, bytes uint64) (held bool, err error) {
	e := g.engine
	e.lock()
	defer e.unlock() // sends no events: the capture is locked, and hooks may use its streams
	b, ok := g.live[addr]
	switch {
	case !ok && !g.holds(addr):
		return false, nil
	case e.life.closed:
		return true, e.refuseFree(poolrt.ErrClosed, addr, "")
	case !ok && g.isFree(addr):
		return true, e.refuseFree(poolrt.ErrDoubleFree, addr, "")
	case !ok || b.bytes != bytes:
		return true, e.refuseFree(poolrt.ErrForeign, addr, "")
	}
	delete(g.live, addr)
	g.put(p, addr, b)
	return true, nil
}

// Clear clears a block in the order of a captured stream, if the pool does so at each allocation. The caller does not hold e.mu.
func (g *GraphMemory) Clear(on Stream, addr, bytes uint64) error {
	e := g.engine
	if !e.config.ZeroDevice {
		return nil
	}
	e.lock()
	clear, apart := e.memory.ZeroOn, e.observed.debug.apart()
	e.unlock()
	return clear(on, Chunk{Addr: addr * apart, Size: int64(bytes)})
}

// mayGrowPrivate returns why the pool has no memory for graphs.
func (g *GraphMemory) mayGrowPrivate() error {
	e := g.engine
	err := e.openLazily()
	switch {
	case e.life.closed:
		return poolrt.ErrClosed
	case err != nil:
		return err
	case e.life.badItem != nil:
		return e.life.badItem
	case e.streams.resting:
		return poolrt.ErrAsleep
	}
	_, _ = e.retryUnreturned()
	return nil
}
