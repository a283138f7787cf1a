package poolimpl

import (
	"cmp"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// surveyStep is how many pieces are listed under one lock.
const surveyStep = 2048

// Snapshot takes a snapshot of the pool for its user. The caller may use the pool.
func (e *Engine) Snapshot() *poolrt.Snapshot { return SnapshotOf(e) }

// SnapshotForOthers takes a snapshot for any goroutine. Of a pool without a lock it has only what Info returns.
func (e *Engine) SnapshotForOthers() *poolrt.Snapshot { return snapshotOf(false, e) }

// SnapshotOf takes a snapshot of several pools for their user. Package cuda calls it for pools with device: each.
func SnapshotOf(engines ...*Engine) *poolrt.Snapshot { return snapshotOf(true, engines...) }

func snapshotOf(owner bool, engines ...*Engine) *poolrt.Snapshot {
	s := &poolrt.Snapshot{Time: time.Now(), Program: registry.Program(), Debug: Debug, Pools: []poolrt.PoolSnapshot{}}
	var sites trace.Sites
	for _, e := range engines {
		s.Pools = append(s.Pools, e.snapshot(&sites, owner))
	}
	for _, calls := range sites.List() {
		var site poolrt.Site
		for _, f := range calls {
			site.Frames = append(site.Frames, poolrt.Frame(f))
		}
		s.Sites = append(s.Sites, site)
	}
	return s
}

// snapshot takes a snapshot. owner says that the caller may use the pool. The caller does not hold e.mu.
func (e *Engine) snapshot(sites *trace.Sites, owner bool) poolrt.PoolSnapshot {
	if e.figures.published != nil && !owner {
		return poolrt.PoolSnapshot{PoolInfo: e.figures.published.get()}
	}
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	p, slots := e.outline()
	step := make([]poolrt.Piece, 0, surveyStep)
	walked := p.Chunks[:0]
	for i, slot := range slots {
		c := p.Chunks[i]
		if slot == wholeChunk {
			e.observed.annotate(c.Pieces, c.Addr, sites)
			walked = append(walked, c)
			continue
		}
		// As a rule, this chunk has its share of all live blocks, and free ranges between some of them.
		share := float64(c.Size) / float64(max(p.Stats.Reserved, int64(c.Size)))
		s := survey{size: c.Size, batch: step, pieces: make([]poolrt.Piece, 0, int(1.8*share*float64(p.Stats.Live))+16)}
		last, here := false, true
		for here && !last {
			if last, here = e.surveyStep(&s, slot, c.Addr); here {
				e.observed.annotate(s.batch, c.Addr, sites)
				e.guards.annotate(s.batch, c.Addr, sites)
				s.commit(last)
			}
		}
		if here { // the chunk was there until the end
			c.Pieces = s.pieces
			walked = append(walked, c)
		}
	}
	p.Chunks = walked
	p.Events = e.observed.tracing.lastEvents(&e.observed.samples, sites)
	slices.SortFunc(p.Chunks, func(a, b poolrt.ChunkSnapshot) int { return cmp.Compare(a.Addr, b.Addr) })
	measure(&p)
	for i := range p.Chunks {
		scale(&p.Chunks[i], e.observed.debug.apart())
		p.Chunks[i].Resident = e.memory.resident(p.Chunks[i])
	}
	return p
}

// wholeChunk stands for the slot of memory that the core does not have: it is a single piece.
const wholeChunk = ^uint32(0)

// outline returns a snapshot without the pieces: the pool, its chunks with their slots, and the pending frees. The caller does not hold e.mu.
func (e *Engine) outline() (p poolrt.PoolSnapshot, slots []uint32) {
	e.lock()
	defer e.unlock()
	p = poolrt.PoolSnapshot{PoolInfo: e.describe(), Walked: true}
	if !e.life.closed {
		for slot, c := range e.chunks.all() {
			p.Chunks = append(p.Chunks, poolrt.ChunkSnapshot{Addr: c.Addr, Size: uint64(c.Size), Origin: c.Origin})
			slots = append(slots, slot)
		}
	}
	p.Classes = e.core.classes(p.Stats)
	whole := e.foreign.chunks(e.streams.pendingForeign)
	if d := e.core.driver; d != nil && !e.life.closed {
		d.chunks(func(b driverBlock) {
			state, asked := poolrt.PieceLive, b.bytes
			if b.kept {
				state, asked = poolrt.PieceWaste, 0
			}
			whole = append(whole, b.chunk().snapshot(state, asked))
		})
	}
	for _, c := range e.life.unreturned {
		whole = append(whole, c.snapshot(poolrt.PieceWaste, 0))
	}
	for _, c := range whole {
		p.Chunks = append(p.Chunks, c)
		slots = append(slots, wholeChunk)
	}
	p.Pending = e.order.pendingFrees()
	return p, slots
}

// surveyStep lists the next pieces of a chunk, if the chunk is still there. The caller does not hold e.mu.
func (e *Engine) surveyStep(s *survey, slot uint32, addr uint64) (last, here bool) {
	e.lock()
	defer e.unlock()
	if e.life.closed || !e.chunks.holds(slot) || e.chunks.hot[slot].Addr != addr || uint64(e.chunks.hot[slot].Size) != s.size {
		return false, false
	}
	return s.step(e.core.Core, slot), true
}

// measure computes the free bytes and the fragmentation.
func measure(p *poolrt.PoolSnapshot) {
	largest := uint64(0)
	for _, c := range p.Chunks {
		for _, piece := range c.Pieces {
			if piece.State == poolrt.PieceFree {
				p.Free += int64(piece.Size)
				largest = max(largest, piece.Size)
			}
		}
	}
	if p.Free > 0 {
		p.Fragmentation = 1 - float64(largest)/float64(p.Free)
	}
}

// scale converts addresses and sizes from those of the suballocator to those of memory, where blocks lie apart.
func scale(c *poolrt.ChunkSnapshot, spacing uint64) {
	if spacing == 1 {
		return
	}
	c.Addr *= spacing
	c.Size *= spacing
	for i := range c.Pieces {
		c.Pieces[i].Off *= spacing
		c.Pieces[i].Size *= spacing
	}
}
