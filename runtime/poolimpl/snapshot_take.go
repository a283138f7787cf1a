package poolimpl

import (
	"cmp"
	"slices"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// surveyStep is how many pieces are listed while the pool is locked once.
const surveyStep = 2048

// Snapshot looks at the pool on behalf of its user.
func (e *Engine) Snapshot() *poolrt.Snapshot { return SnapshotOf(e) }

// SnapshotForOthers looks at the pool on behalf of anybody.
func (e *Engine) SnapshotForOthers() *poolrt.Snapshot { return snapshotOf(false, e) }

// SnapshotOf looks at some pools on behalf of their user. Package cuda calls it for pools with device: each.
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

// snapshot looks at the pool, on behalf of whoever may use it or of anybody.
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
		// Of all live blocks, this chunk has its share as a rule, with free ranges between some of them.
		share := float64(c.Size) / float64(max(p.Stats.Reserved, int64(c.Size)))
		s := survey{size: c.Size, batch: step, pieces: make([]poolrt.Piece, 0, int(1.8*share*float64(p.Stats.Live))+16)}
		last, here := false, true
		for here && !last {
			if last, here = e.surveyStep(&s, slot, c.Addr); here {
				e.observed.annotate(s.batch, c.Addr, sites)
				s.commit(last)
			}
		}
		if here { // all the time
			c.Pieces = s.pieces
			walked = append(walked, c)
		}
	}
	p.Chunks = walked
	p.Events = e.observed.tracing.lastEvents(sites)
	slices.SortFunc(p.Chunks, func(a, b poolrt.ChunkSnapshot) int { return cmp.Compare(a.Addr, b.Addr) })
	measure(&p)
	for i := range p.Chunks {
		scale(&p.Chunks[i], e.observed.debug.apart())
	}
	return p
}

// wholeChunk stands for the slot of memory that no core knows: it is one piece.
const wholeChunk = ^uint32(0)

// outline is all but the pieces: what the pool is, its chunks with their slots, and what streams have to pass.
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
	whole := e.foreign.chunks(e.streams.foreign)
	for _, c := range e.life.unreturned {
		whole = append(whole, c.snapshot(poolrt.PieceWaste, 0))
	}
	for _, c := range whole {
		p.Chunks = append(p.Chunks, c)
		slots = append(slots, wholeChunk)
	}
	p.Pending = e.streams.pendingFrees()
	return p, slots
}

// chunks lists the memory that came directly from the source.
func (f *foreign) chunks(pending []pendingForeign) (all []poolrt.ChunkSnapshot) {
	for _, b := range f.blocks {
		if b.bytes != 0 && b.lender == nil {
			all = append(all, b.chunk.snapshot(poolrt.PieceLive, b.bytes))
		}
	}
	for _, b := range pending {
		if b.lender == nil {
			all = append(all, b.chunk.snapshot(poolrt.PiecePending, b.bytes))
		}
	}
	for _, c := range slices.Concat(f.direct.unreturned, f.direct.kept) {
		all = append(all, c.snapshot(poolrt.PieceWaste, 0))
	}
	return all
}

// surveyStep lists the next pieces of a chunk, if it is still there.
func (e *Engine) surveyStep(s *survey, slot uint32, addr uint64) (last, here bool) {
	e.lock()
	defer e.unlock()
	if e.life.closed || !e.chunks.holds(slot) || e.chunks.hot[slot].Addr != addr || uint64(e.chunks.hot[slot].Size) != s.size {
		return false, false
	}
	return s.step(e.core.Core, slot), true
}

// snapshot is a chunk that no core knows: it is one piece.
func (c Chunk) snapshot(state poolrt.PieceState, asked uint64) poolrt.ChunkSnapshot {
	size := uint64(c.Size)
	return poolrt.ChunkSnapshot{Addr: c.Addr, Size: size, Origin: c.Origin, Pieces: poolrt.Pieces{{Size: size, Asked: asked, State: state}}}
}

// measure adds up what is free.
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

// scale makes the places of a suballocator those of memory, where blocks lie apart.
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
