package poolimpl

import (
	"errors"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// Grow adds memory that is sure to serve a request at a point, within limit and budget. If the pool cannot have as much, the error says why, and the request has
// failed. The lock is released while the source works. The caller does not hold e.mu.
func (g *GraphMemory) Grow(p Point, n int, item, align uint64) error {
	e := g.engine
	if !countable(n, item) {
		return e.Refuse(badCount, n)
	}
	if Debug {
		e.observed.debug.bypassQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlockAndNotify()
	r := request{bytes: uint64(n) * item, align: align}
	err := g.mayGrowPrivate()
	if err == nil {
		err = g.growPrivate(p, r)
	}
	if err != nil {
		return detailed(e.fail(r, err, Usage{}), "memory private to a graph; graphs have %d bytes of the pool", e.graphs.bytes)
	}
	return nil
}

// growPrivate adds a chunk to the own stock of a graph: one that the pool has and does not use, or a new one. Where the source can, it makes an area longer, by what is
// missing behind the memory that is free at its end.
func (g *GraphMemory) growPrivate(p Point, r request) error {
	e := g.engine
	unit := e.memory.Granularity
	if r.bytes > uint64(poolrt.NoLimit-max(unit, 1))-e.config.Private {
		return poolrt.ErrTooLarge
	}
	bytes := roundUp64(r.bytes, e.config.Private)
	whole := roundUp(int64(bytes), unit)
	if whole > min(e.limits.limit, e.budget.Budget().Limit()) {
		return poolrt.ErrTooLarge
	}
	end, need := g.behind(p, bytes, r.align, whole)
	if g.sparesChunks() {
		_, _ = e.order.poll() // the work before the capture may be done
	}
	want, trimmed := max(need, e.memory.unit), false
	for {
		for e.limits.growing > 0 && e.activity.waitIdle(request{}) {
		}
		if g.over || e.life.closed {
			return poolrt.ErrClosed
		}
		if c, ok := g.spare(need, want, max(int64(r.align), e.config.Alignment)); ok {
			g.stocks[0].fromCore = append(g.stocks[0].fromCore, c.Addr)
			g.addChunk(c, 0)
			return nil
		}
		c, err := g.obtainPrivate(end, need, want, int64(r.align))
		switch {
		case err == nil:
			g.addChunk(c, end)
			return nil
		case errors.Is(err, ErrApart):
			end, need, want = 0, whole, max(whole, e.memory.unit)
		case want > need && errors.Is(err, poolrt.ErrOutOfMemory):
			want = need
		case !g.roomForPrivate(need, err, !trimmed):
			return err
		default:
			trimmed = true
		}
	}
}

// sparesChunks reports whether graphs get empty chunks of the pool. The memory of a graph is in one piece where the source can do that.
func (g *GraphMemory) sparesChunks() bool {
	e := g.engine
	return e.core.driver == nil && e.memory.Behind == nil && e.memory.page() == 0 && !e.memory.single
}

// spare takes an empty chunk from the pool for a graph: of need bytes or more, but at most twice as long as a new one. What the work before a capture has used is there
// for the graph, without a call of the driver.
func (g *GraphMemory) spare(need, want, align int64) (Chunk, bool) {
	e := g.engine
	if !g.sparesChunks() {
		return Chunk{}, false
	}
	fits := func(s surplus) int64 {
		if size := int64(s.Size); size >= need && size/2 <= want && s.Addr%uint64(align) == 0 {
			need = poolrt.NoLimit // one is enough
			return size
		}
		return 0
	}
	chunks := e.memory.layout.remove(e.memory.collect(order{fit: need}, fits))
	if len(chunks) == 0 {
		return Chunk{}, false
	}
	e.graphs.bytes += chunks[0].Size
	e.graphs.chunks++
	return chunks[0], true
}

// obtainPrivate obtains a chunk from the source, behind the chunk that ends there unless end is 0: of want bytes, or of fewer if there is no room for these. The lock
// is released meanwhile.
func (g *GraphMemory) obtainPrivate(end uint64, need, want, align int64) (c Chunk, err error) {
	e := g.engine
	size := g.claimPrivate(need, want)
	if size == 0 {
		return Chunk{}, poolrt.ErrLimit
	}
	err = errPanic
	owed := false
	if d := e.core.driver; d != nil {
		e.activity.driverCalls++
		defer func() { // also if the source panics
			if e.activity.driverCalls--; err != nil && !owed {
				d.uncountPrivate(e, size)
			}
			e.activity.wakeIdle()
		}()
	}
	alloc := e.memory.Source.Alloc
	if end != 0 {
		alloc = func(size, _ int64) (Chunk, error) { return e.memory.Behind(end, size) }
	}
	if c, err = e.fetch(alloc, size, max(align, e.config.Alignment)); err != nil {
		owed = errors.As(err, new(owing))
		return Chunk{}, sourceError(err)
	}
	pieces := e.memory.pieces([]Chunk{c})
	if e.core.driver == nil {
		e.limits.add(&e.figures, size, pieces)
	} else {
		e.limits.chunks += pieces
	}
	e.graphs.bytes += size
	e.graphs.chunks += pieces
	e.figures.queueEvent(poolrt.EventGrowth, size, nil)
	return c, nil
}

// claimPrivate is claim, also in a pool with ordering driver, whose callers claim without the lock.
func (g *GraphMemory) claimPrivate(need, want int64) int64 {
	e := g.engine
	d := e.core.driver
	if d == nil {
		return e.limits.claim(e.budget, e.memory.Granularity, need, want)
	}
	for _, size := range []int64{want, need} {
		if d.claimPrivate(e, size) {
			return size
		}
	}
	return 0
}

// claimPrivate claims memory for graphs.
func (d *DriverBlocks) claimPrivate(e *Engine, size int64) bool {
	ok, crossed := d.claim(size)
	if !ok {
		return false
	}
	d.private.Add(size)
	if d.post(e); crossed {
		e.figures.crossSoftLimit()
	}
	return true
}

// owe counts memory for graphs that the pool cannot use and that the source refused to take back. Its bytes are counted.
func (*DriverBlocks) owe(e *Engine, c Chunk) {
	e.limits.chunks++
	e.graphs.unreturned, e.graphs.returns = append(e.graphs.unreturned, c), (*Engine).returnPrivate
}

// uncountPrivate subtracts memory of graphs that the source does not have for the pool. The budget has the bytes back.
func (d *DriverBlocks) uncountPrivate(e *Engine, n int64) {
	d.private.Add(-n)
	d.reserved.Add(-n)
	d.post(e)
}

// addChunk adds a chunk to the graph's own stock: as an area or, if end is not 0, to the area that ends there.
func (g *GraphMemory) addChunk(c Chunk, end uint64) {
	own := g.stocks[0]
	own.chunks = append(own.chunks, c)
	at := len(own.areas)
	if end == 0 {
		own.areas = append(own.areas, Extent{Addr: c.Addr})
	} else {
		at = slices.IndexFunc(own.areas, func(x Extent) bool { return x.end() == end })
	}
	own.areas[at].Size += uint64(c.Size)
	g.insert(freeRange{c.extent(), own.areas[at].Addr, nil})
}

// behind returns the end of the area behind which a chunk should lie that serves a request at a point, and its size: of the area of the graph's own stock where
// fewest bytes are missing, or 0 for anywhere, with whole bytes.
func (g *GraphMemory) behind(p Point, bytes, align uint64, whole int64) (end uint64, need int64) {
	need = whole
	if !g.extends() {
		return 0, need
	}
	for _, area := range g.stocks[0].areas {
		to := (g.tail(p, area)+align-1)&^(align-1) + bytes
		if missing := roundUp(int64(to-area.end()), g.engine.memory.Granularity); missing > 0 && missing <= need {
			end, need = area.end(), missing
		}
	}
	return end, need
}

// tail returns where the memory begins that is free at a point at the end of an area.
func (g *GraphMemory) tail(p Point, area Extent) uint64 {
	from := area.end()
	for i := len(g.free) - 1; i >= 0; i-- {
		if r := g.free[i]; r.area == area.Addr && r.end() == from && p.Before.hasAll(r.after) {
			from = r.Addr
		}
	}
	return from
}

// roomForPrivate makes room for a chunk of a graph, and reports whether something went back: the first time what the rung trim returns, and at the limit of the
// budget, each time, what other pools give.
func (g *GraphMemory) roomForPrivate(need int64, err error, first bool) bool {
	e := g.engine
	hasTrim := e.config.hasRung(RungTrim)
	if reason(err) != poolrt.ErrLimit {
		if !first || !hasTrim {
			return false
		}
		n, _ := e.trim(0)
		return e.reclaim(budget.Trim, func() int64 { return poolrt.NoLimit }) || n > 0
	}
	trimmed := false
	if first && (hasTrim || e.budget != nil) {
		n, _ := e.shed(e.memory.surplusOf(need-e.limits.room(e.budget), poolrt.NoLimit))
		trimmed = n > 0
	}
	if need > e.limits.bound-e.limits.reserved {
		return trimmed
	}
	return e.reclaim(anyWay, func() int64 { return e.budget.Lacking(need) }) || trimmed
}

// Lenders lists the pools that on_exhausted names, in its order, without those whose cores know addresses in another form. The caller does not hold e.mu.
func (e *Engine) Lenders(device int) (list []*Engine) {
	for _, r := range e.generated.Ladder {
		p, ok := r.(PoolRung)
		if !ok {
			continue
		}
		if l := p.Pool(device); !Debug || l.generated.Spacing == e.generated.Spacing {
			list = append(list, l)
		}
	}
	return list
}
