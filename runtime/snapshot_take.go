package runtime

import (
	"cmp"
	"slices"
)

// surveyStep is how many pieces are listed while the pool is locked once.
const surveyStep = 2048

// Snapshot looks at the pool on behalf of its user.
func (e *Engine) Snapshot() *Snapshot { return SnapshotOf(e) }

// SnapshotForOthers looks at the pool on behalf of anybody.
func (e *Engine) SnapshotForOthers() *Snapshot { return snapshotOf(false, e) }

// SnapshotOf looks at some pools on behalf of their user. Package cuda calls it for pools with device: each.
func SnapshotOf(engines ...*Engine) *Snapshot { return snapshotOf(true, engines...) }

func snapshotOf(owner bool, engines ...*Engine) *Snapshot {
	s := NewSnapshot()
	var sites siteTable
	for _, e := range engines {
		s.Pools = append(s.Pools, e.snapshot(&sites, owner))
	}
	s.Sites = sites.list
	return s
}

// snapshot looks at the pool, on behalf of whoever may use it or of anybody.
func (e *Engine) snapshot(sites *siteTable, owner bool) PoolSnapshot {
	if e.figures.published != nil && !owner {
		return PoolSnapshot{PoolInfo: e.figures.published.get()}
	}
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	p, slots := e.outline()
	step := make([]Piece, 0, surveyStep)
	walked := p.Chunks[:0]
	for i, slot := range slots {
		c := p.Chunks[i]
		if slot == wholeChunk {
			e.annotate(c.Pieces, c.Addr, sites)
			walked = append(walked, c)
			continue
		}
		// Of all live blocks, this chunk has its share as a rule, with free ranges between some of them.
		share := float64(c.Size) / float64(max(p.Stats.Reserved, int64(c.Size)))
		s := survey{size: c.Size, batch: step, pieces: make([]Piece, 0, int(1.8*share*float64(p.Stats.Live))+16)}
		if e.survey(&s, slot, c.Addr, sites) {
			c.Pieces = s.pieces
			walked = append(walked, c)
		}
	}
	p.Chunks = walked
	p.Events = e.lastEvents(sites)
	slices.SortFunc(p.Chunks, func(a, b ChunkSnapshot) int { return cmp.Compare(a.Addr, b.Addr) })
	measure(&p)
	for i := range p.Chunks {
		scale(&p.Chunks[i], e.spacing())
	}
	return p
}

// wholeChunk stands for the slot of memory that no core knows: it is one piece.
const wholeChunk = ^uint32(0)

// outline is all but the pieces: what the pool is, its chunks with their slots, and what streams have to pass.
func (e *Engine) outline() (p PoolSnapshot, slots []uint32) {
	e.lock()
	defer e.unlock()
	p = PoolSnapshot{PoolInfo: e.describe(), Walked: true}
	if !e.life.closed {
		for slot, c := range e.chunks.list {
			if c.Size > 0 {
				p.Chunks = append(p.Chunks, ChunkSnapshot{Addr: c.Addr, Size: uint64(c.Size), Origin: c.Origin})
				slots = append(slots, uint32(slot))
			}
		}
	}
	for _, c := range e.wholeChunks() {
		p.Chunks = append(p.Chunks, c)
		slots = append(slots, wholeChunk)
	}
	p.Pending = e.pendingByStream()
	return p, slots
}

// wholeChunks lists memory that came straight from the source, and what the source has not taken back.
func (e *Engine) wholeChunks() (all []ChunkSnapshot) {
	add := func(c Chunk, state PieceState, asked uint64) {
		size := uint64(c.Size)
		all = append(all, ChunkSnapshot{Addr: c.Addr, Size: size, Origin: c.Origin, Pieces: Pieces{{Size: size, Asked: asked, State: state}}})
	}
	for _, f := range e.foreign.blocks {
		if f.bytes != 0 && f.lender == nil {
			add(f.chunk, PieceLive, f.bytes)
		}
	}
	for _, f := range e.foreign.pending {
		if f.lender == nil {
			add(f.chunk, PiecePending, f.bytes)
		}
	}
	for _, c := range slices.Concat(e.foreign.direct.unreturned, e.foreign.direct.kept, e.life.unreturned) {
		add(c, PieceWaste, 0)
	}
	return all
}

// survey lists the pieces of a chunk, and reports whether it was there all the time.
func (e *Engine) survey(s *survey, slot uint32, addr uint64, sites *siteTable) bool {
	for last := false; !last; {
		var here bool
		if last, here = e.surveyStep(s, slot, addr); !here {
			return false
		}
		e.annotate(s.batch, addr, sites)
		s.commit(last)
	}
	return true
}

// surveyStep lists the next of them, if the chunk is still there.
func (e *Engine) surveyStep(s *survey, slot uint32, addr uint64) (last, here bool) {
	e.lock()
	defer e.unlock()
	if e.life.closed || !e.chunks.holds(slot) || e.chunks.list[slot].Addr != addr || uint64(e.chunks.list[slot].Size) != s.size {
		return false, false
	}
	return s.step(e.core, slot), true
}

// measure adds up what is free.
func measure(p *PoolSnapshot) {
	largest := uint64(0)
	for _, c := range p.Chunks {
		for _, piece := range c.Pieces {
			if piece.State == PieceFree {
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
func scale(c *ChunkSnapshot, spacing uint64) {
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
