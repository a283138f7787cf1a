//go:build pooldebug

package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// alloc begins to watch a block that is about to be handed out, and fills it and its red zones. call is what beginUse returned. The stream that the
// block is for fills it, behind what it still does there. Where all blocks were taken back meanwhile, the memory may be gone, and is left alone.
func (o *observed) alloc(e *Engine, call Call, found foundBlock, bytes uint64, s *Stream) {
	d := &o.debug
	if !d.watches() {
		return
	}
	if call.trace == nil {
		now := here()
		call.trace = &now
	}
	place := found.Addr * d.apart()
	o.tracing.alloc(e, place, bytes, s)
	chunk := d.chunkInfo(e, place, bytes)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.serial++
	b := &blockRecord{place: place, bytes: bytes, ptr: found.Ptr, far: chunk.far, serial: d.serial, unguarded: chunk.unguarded || call.sweeps != d.sweeps, borrowed: chunk.borrowed, allocatedAt: *call.trace}
	if old := d.blocks[place]; old != nil { // on its way, or in a pool that was reset
		d.recent.add(old)
	}
	d.blocks[place] = b
	d.count(b, 1)
	if !b.borrowed {
		d.allocs++
	}
	if s != nil {
		b.armOn(*s, d, chunk, !e.config.Zeroes)
		return
	}
	b.arm(d, chunk)
	if !e.config.Zeroes {
		b.fill(0, b.bytes, fillFresh)
	}
	b.finishFill()
}

// count follows what is live: one block more, or less.
func (d *debugState) count(b *blockRecord, n int) {
	if b.borrowed {
		return
	}
	d.live += n
	d.used += uint64(n) * b.bytes
	d.peak = max(d.peak, d.used)
}

// account makes the figures of the core those of the pool's user: for the core, what is in the quarantine, and on its way there and back, is live.
func (d *debugState) account(u *Usage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.blocks == nil {
		return
	}
	u.Live, u.LiveBytes = uint64(d.live), d.used
	if u.Allocs > 0 { // else nobody counts
		u.Allocs, u.PeakBytes = d.allocs, d.peak
	}
}

// chunkInfo is what is known of the chunk that a block lies in.
type chunkInfo struct {
	borrowed  bool // another pool counts the block
	unguarded bool // nothing may be written there but by the block's owner
	far       Inspector
	first     bool   // nothing of the chunk lies in front of the block
	room      uint64 // bytes that the block takes up for the core, at least
}

func (d *debugState) chunkInfo(e *Engine, place, bytes uint64) chunkInfo {
	e.lock()
	defer e.unlock()
	addr := place / d.apart()
	if l, ok := e.foreign.blocks[addr]; ok && l.bytes != 0 {
		return chunkInfo{borrowed: l.lender != nil, unguarded: l.lender != nil || e.config.Imported, far: e.memory.Inspector, first: true, room: uint64(l.chunk.Size)}
	}
	slot, found := e.chunks.find(addr)
	first := found && e.chunks.hot[slot].Addr == addr
	c := chunkInfo{unguarded: e.config.numbers() || e.config.Imported, far: e.memory.Inspector, first: first, room: d.rounded(bytes)}
	switch {
	case c.unguarded:
	case e.config.Direct && first:
		c.room = uint64(e.chunks.hot[slot].Size)
	case d.rounding == 1:
		c.room = e.core.Need(bytes, 1)
	}
	return c
}

// rounded is what a length is rounded up to, at least.
func (d *debugState) rounded(bytes uint64) uint64 {
	return (bytes + d.rounding - 1) / d.rounding * d.rounding
}

// placed is a block as the device knows it.
func (d *debugState) placed(addr, bytes uint64) Chunk {
	return Chunk{Addr: addr * d.spacing, Size: int64(bytes)}
}

// coreChunk makes what a source gave the chunk that the core sees.
func (d *debugState) coreChunk(c Chunk, size int64) Chunk {
	c.Addr, c.Size = c.Addr/d.spacing, size
	return c
}

// sourceChunk makes such a chunk what the source gave.
func (d *debugState) sourceChunk(c Chunk) Chunk {
	c.Addr *= d.spacing
	c.Size = d.sourceSize(c.Size)
	return c
}

// sourceSize is what the source is asked for when the core is to see so many bytes: more than there are if an int64 cannot express it.
func (d *debugState) sourceSize(size int64) int64 {
	n := int64(d.spacing)
	switch {
	case n == 1:
		return size
	case size > (poolrt.NoLimit-zoneUnit)/n:
		return poolrt.NoLimit
	}
	return roundUp(size, zoneUnit) * n
}
