//go:build pooldebug

package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// alloc begins to watch a block that is about to be handed out, and fills the block and its red zones. call is the result of beginUse. If the block is for a
// stream, the stream fills it, behind the work queued so far. If all blocks were freed at once since the call began, the memory may be gone, and alloc does
// not touch it. The caller does not hold e.mu.
func (o *observed) alloc(e *Engine, call Call, found foundBlock, bytes uint64, s *Stream) {
	d := &o.debug
	if !d.watches() {
		return
	}
	place := found.Addr * d.apart()
	o.tracing.alloc(e, place, bytes, s)
	if !poolrt.Traced && e.generated.profiles() && !e.borrows(found.Addr) { // a pool with the key profile samples all blocks
		o.samples.NoteAlloc(place, bytes, 1, o.samples.Sweeps())
	}
	chunk := d.chunkInfo(e, place, bytes)
	d.mu.Lock()
	defer d.mu.Unlock()
	if call.trace.stack == nil {
		call.trace = d.here()
	}
	d.serial++
	b := d.newRecord()
	*b = blockRecord{
		blockLife: blockLife{place: place, bytes: bytes, serial: d.serial, allocatedAt: call.trace},
		ptr:       found.Ptr, far: chunk.far, borrowed: chunk.borrowed,
		unguarded: chunk.unguarded || call.sweeps != d.sweeps || d.asleep,
	}
	if old := d.blocks[place]; old != nil { // the block is on its way to the core, or the pool was reset
		if old.state == blockLive {
			d.count(old, -1)
		}
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

// newRecord returns a record that nobody has: one that was in use before, if there is any, as it is in the
// cache of the processor, and is no garbage. The caller holds d.mu.
func (d *debugState) newRecord() *blockRecord {
	n := len(d.unused) - 1
	if n < 0 {
		return new(blockRecord)
	}
	b := d.unused[n]
	d.unused = d.unused[:n]
	return b
}

// count counts the live block b, or with n -1 counts it no longer. The caller holds d.mu.
func (d *debugState) count(b *blockRecord, n int) {
	if n > 0 {
		d.enter(b)
	} else {
		d.leave(b)
	}
	if b.borrowed {
		return
	}
	d.live += n
	d.used += uint64(n) * b.bytes
	d.peak = max(d.peak, d.used)
}

// resetPeak restarts the peak.
func (d *debugState) resetPeak() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.peak = d.used
}

// account replaces the figures of the core by those of the pool's user: to the core, a block in the quarantine or on its way to or from it is live.
func (d *debugState) account(u *Usage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.blocks == nil {
		return
	}
	u.Live, u.LiveBytes = uint64(d.live), d.used
	if u.Allocs > 0 { // else the core does not count them
		u.Allocs, u.PeakBytes = d.allocs, d.peak
	}
}

// chunkInfo describes the chunk that a block lies in.
type chunkInfo struct {
	borrowed  bool // another pool counts the block
	unguarded bool // only the owner of the block may write to it and around it
	far       Inspector
	first     bool   // the block is the first of its chunk
	room      uint64 // least number of bytes that the block takes up in the core
}

// chunkInfo describes the chunk that a block lies in. The caller does not hold e.mu.
func (d *debugState) chunkInfo(e *Engine, place, bytes uint64) chunkInfo {
	e.lock()
	defer e.unlock()
	addr := place / d.apart()
	if l, ok := e.foreign.blocks[addr]; ok && l.bytes != 0 {
		return chunkInfo{borrowed: l.borrowed != nil, unguarded: l.borrowed != nil || e.config.Imported, far: e.memory.Inspector, first: true, room: uint64(l.chunk.Size)}
	}
	if b, v := e.core.blockOfDriver(addr); v == Freed {
		return chunkInfo{far: e.memory.Inspector, first: true, room: uint64(b.size)}
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

// rounded returns bytes, rounded up to what the suballocator allocates at least.
func (d *debugState) rounded(bytes uint64) uint64 {
	return (bytes + d.rounding - 1) / d.rounding * d.rounding
}

// placed returns a block as the device addresses it.
func (d *debugState) placed(addr, bytes uint64) Chunk {
	return Chunk{Addr: addr * d.spacing, Size: int64(bytes)}
}

// coreChunk returns a chunk of the source as the core sees it.
func (d *debugState) coreChunk(c Chunk, size int64) Chunk {
	c.Addr, c.Size = c.Addr/d.spacing, size
	return c
}

// sourceChunk returns a chunk of the core as the source knows it.
func (d *debugState) sourceChunk(c Chunk) Chunk {
	c.Addr *= d.spacing
	c.Size = d.sourceSize(c.Size)
	return c
}

// sourceSize returns how many bytes to request from the source for size bytes in the core: poolrt.NoLimit, which no source has, if an int64 cannot express
// the number.
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
