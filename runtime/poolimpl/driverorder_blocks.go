package poolimpl

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

// DriverBlocks is the core of a pool with ordering driver: a table of its live blocks, each an allocation of the driver. It counts their bytes, and checks
// their frees, without the pool's lock: the parts of the table have locks of their own, and the limit is a number that callers change atomically.
//
// A block is claimed, supplied by the driver, and inserted; a free removes it, gives it to the driver, and ends the claim. So reserved counts each block
// from before the driver has supplied it until the driver has it back, and the limit is exact. A caller that is between two of these steps is not visible in
// the table: then reserved exceeds the bytes of the table. No lock of the table is held during a call of the driver; while callers are many, turns is.
type DriverBlocks struct {
	// What each call reads, side by side: 64 bytes.
	bound  atomic.Int64 // of reserved; not above 0 while the pool is not open
	peak   atomic.Int64 // largest reserved so far
	terms  driverTerms
	source StreamSource             // set before bound is above 0
	parts  *[driverParts]driverPart // apart, so that they begin on a cache line; nil in a closed pool

	_        [128]byte    // callers write to the field below, and only read those above
	reserved atomic.Int64 // bytes claimed
	_        [120]byte
	private  atomic.Int64 // bytes of reserved that are memory of graphs

	config *Config
	budget *budget.Member // set before bound is above 0
	posted int64          // of reserved: what limits.reserved of the engine contains. On e.mu
	unused unused         // what no caller has, and the driver did not take back
	behind []Stream       // on which the blocks of a closed pool were allocated. On e.mu

	freedOn freedOn
	turns   turns
}

// driverTerms are what each call asks for.
type driverTerms struct {
	alignment int64
	mask      int64       // the granularity, which is a power of two, less 1
	sampled   bool        // the pool has blocks in a sample
	cleared   bool        // the device clears blocks
	watched   bool        // there is a soft limit or a budget
	crowded   atomic.Bool // callers have met lately
}

// begin takes the settings, and makes the table.
func (d *DriverBlocks) begin(c *Config, m *budget.Member) {
	d.config, d.parts = c, new([driverParts]driverPart)
	d.terms = driverTerms{alignment: c.Alignment, mask: max(c.Granularity, 1) - 1, sampled: c.Sampling != nil, cleared: c.ZeroDevice}
	d.enter(m)
}

// enter takes the place of the pool in its budget.
func (d *DriverBlocks) enter(m *budget.Member) {
	d.budget, d.terms.watched = m, d.config.SoftLimit > 0 || m != nil
}

// driverParts is the number of parts of the table.
const driverParts = 64

// unused is memory that no caller has, and that the driver did not take back. It is safe for concurrent use: pools add to it without their lock.
type unused struct {
	mu   sync.Mutex
	list []Chunk
}

func (u *unused) add(chunks ...Chunk) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(u.list, chunks...)
}

// take removes all chunks, and returns them.
func (u *unused) take() []Chunk {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.list
	u.list = nil
	return list
}

func (u *unused) count() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return int64(len(u.list))
}

func (u *unused) bytes() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return sizeOf(u.list)
}

// driverPart has the blocks whose addresses hash to it. What each call changes is in one cache line, and what a free adds in the next.
type driverPart struct {
	mu     sync.Mutex
	cells  []driverBlock // open addressing; the length is a power of two, and at most three quarters are in use
	used   int           // cells in use; a block in them is live unless kept
	allocs uint64        // blocks handed out so far
	live   uint64        // bytes requested of the live blocks
	bytes  uint64        // that the blocks in the table take up

	recent [8]uint64 // addresses freed last, by hash

	kept      int    // blocks that were freed while another process may use them
	keptBytes uint64 // that they take up
	_         [48]byte
}

// driverBlock is a block of the driver, in one cache line. Its address is that in the core; origin is set and read by the source.
type driverBlock struct {
	addr, origin uint64
	bytes        uint64 // requested
	size         int64  // in whole units of the source
	on           Stream // that the block was allocated on, if onStream
	shares       int32  // other processes that may use it
	onStream     bool
	kept         bool // it was freed meanwhile
}

// hashOf returns the hash of an address; the multiplier is that of Knuth, 2^64 divided by the golden ratio.
func hashOf(addr uint64) uint64 { return addr * 0x9e3779b97f4a7c15 }

// noPart is the part of all addresses in closed pools. It stays empty.
var noPart driverPart

// part returns the part of the addresses with a hash.
func (d *DriverBlocks) part(hash uint64) *driverPart {
	if d.parts == nil {
		return &noPart
	}
	return &d.parts[hash>>58]
}

// all returns all parts; none in a closed pool.
func (d *DriverBlocks) all() []driverPart {
	if d.parts == nil {
		return nil
	}
	return d.parts[:]
}

// cell returns the index of the cell of an address with a hash, or of the free one where it belongs. There is a free cell.
func (p *driverPart) cell(hash, addr uint64) int {
	mask := len(p.cells) - 1
	i := int(hash>>24) & mask
	for p.cells[i].addr != addr && p.cells[i].addr != 0 {
		i = (i + 1) & mask
	}
	return i
}

// find returns the block at an address; nil if there is none.
func (p *driverPart) find(addr uint64) *driverBlock {
	if p.used == 0 {
		return nil
	}
	if b := &p.cells[p.cell(hashOf(addr), addr)]; b.addr == addr && addr != 0 {
		return b
	}
	return nil
}

// classify returns the live block at an address, and the verdict that a free of so many bytes would get.
func (p *driverPart) classify(addr, bytes uint64) (*driverBlock, Verdict) {
	b := p.find(addr)
	switch {
	case b == nil && addr != 0 && p.recent[recentIndex(hashOf(addr))] == addr, b != nil && b.kept:
		return nil, Double
	case b == nil || b.bytes != bytes:
		return nil, Foreign
	}
	return b, Freed
}

// keep follows a free of a block that cannot be taken: one that another process may use is freed, and stays.
//
//go:noinline
func (p *driverPart) keep(addr, bytes uint64) Verdict {
	b, v := p.classify(addr, bytes)
	if v == Freed {
		b.kept = true
		p.kept++
		p.keptBytes += uint64(b.size)
		p.live -= bytes
	}
	return v
}

// grow doubles the number of cells.
func (p *driverPart) grow() {
	old := p.cells
	p.cells = make([]driverBlock, max(8, 2*len(old)))
	for _, b := range old {
		if b.addr != 0 {
			p.cells[p.cell(hashOf(b.addr), b.addr)] = b
		}
	}
}

// followed reports whether a block is in the next cell. If not, a cell is emptied by its address alone.
func (p *driverPart) followed(at int) bool { return p.cells[(at+1)&(len(p.cells)-1)].addr != 0 }

// remove empties a cell. Later blocks move up to where they are found (Knuth, The Art of Computer Programming 6.4, algorithm R).
func (p *driverPart) remove(hole int) {
	mask := len(p.cells) - 1
	for i := (hole + 1) & mask; p.cells[i].addr != 0; i = (i + 1) & mask {
		home := int(hashOf(p.cells[i].addr)>>24) & mask
		if (i-home)&mask >= (i-hole)&mask {
			p.cells[hole], hole = p.cells[i], i
		}
	}
	p.cells[hole].addr = 0
}

// recentIndex is the place in driverPart.recent of the addresses with a hash.
func recentIndex(hash uint64) uint64 { return hash >> 55 & 7 }

// claim reserves bytes for a block within limit and budget. crossed reports that this crossed the soft limit.
func (d *DriverBlocks) claim(n int64) (ok, crossed bool) {
	for {
		before := d.reserved.Load()
		if n > d.bound.Load()-before {
			return false, false
		}
		if now := before + n; d.reserve(before, now) {
			if now <= d.peak.Load() && now <= d.bound.Load() && !d.terms.watched {
				return true, false
			}
			return d.claimed(before, now)
		}
	}
}

// reserve changes the bytes that are claimed, unless another caller was faster: then callers meet.
func (d *DriverBlocks) reserve(before, now int64) bool {
	if d.reserved.CompareAndSwap(before, now) {
		return true
	}
	d.met()
	return false
}

// claimed goes on with a claim that may be refused after all, or has consequences.
//
//go:noinline
func (d *DriverBlocks) claimed(before, now int64) (ok, crossed bool) {
	if now > d.bound.Load() || !d.budget.Reserve(now-before) { // the limit was lowered, or the pool closed, since it was read
		d.reserved.Add(before - now)
		return false, false
	}
	for {
		peak := d.peak.Load()
		if now <= peak || d.peak.CompareAndSwap(peak, now) {
			return true, before <= d.config.SoftLimit && now > d.config.SoftLimit && d.config.SoftLimit > 0
		}
	}
}

// unclaim ends a claim.
func (d *DriverBlocks) unclaim(n int64) {
	d.reserved.Add(-n)
	if d.terms.watched {
		d.budget.Release(n)
	}
}

// insert makes a block live, and counts so many allocations.
func (d *DriverBlocks) insert(b *driverBlock, allocs uint64) {
	hash := hashOf(b.addr)
	p := d.part(hash)
	p.mu.Lock()
	if 4*(p.used+1) > 3*len(p.cells) {
		p.grow()
	}
	p.cells[p.cell(hash, b.addr)] = *b
	p.used++
	p.allocs += allocs
	p.live += b.bytes
	p.bytes += uint64(b.size)
	p.mu.Unlock()
}

// take removes a live block that was requested with so many bytes, to be freed, and sets b to it. If the verdict is not [Freed], nothing has changed. A block that
// another process may use stays, and b is zero.
func (d *DriverBlocks) take(addr, bytes uint64, b *driverBlock) Verdict {
	hash := hashOf(addr)
	p := d.part(hash)
	p.mu.Lock()
	if p.used > 0 && addr != 0 {
		at := p.cell(hash, addr)
		if found := &p.cells[at]; found.addr == addr && found.bytes == bytes && found.shares == 0 {
			*b = *found
			p.used--
			p.live -= bytes
			p.bytes -= uint64(b.size)
			if found.addr = 0; p.followed(at) {
				p.remove(at)
			}
			p.recent[recentIndex(hash)] = addr
			p.mu.Unlock()
			return Freed
		}
	}
	v := p.keep(addr, bytes)
	p.mu.Unlock()
	return v
}

// uncount subtracts the allocation of a block that no caller has received.
func (d *DriverBlocks) uncount(addr uint64) {
	p := d.part(hashOf(addr))
	p.mu.Lock()
	p.allocs--
	p.mu.Unlock()
}

// lookup returns a live block, and the verdict that its free would get.
func (d *DriverBlocks) lookup(addr uint64) (b driverBlock, v Verdict) {
	p := d.part(hashOf(addr))
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.find(addr); found != nil {
		b = *found
	}
	_, v = p.classify(addr, b.bytes)
	return b, v
}

// hold returns a live block of so many bytes, and counts one more process that may use it. The verdict is that of a free.
func (d *DriverBlocks) hold(addr, bytes uint64) (b driverBlock, v Verdict) {
	p := d.part(hashOf(addr))
	p.mu.Lock()
	defer p.mu.Unlock()
	found, v := p.classify(addr, bytes)
	if v == Freed {
		found.shares++
		b = *found
	}
	return b, v
}

// letGo ends a hold that no process uses. due reports that the block was freed meanwhile, and has to go back: then it is in the table no longer.
func (d *DriverBlocks) letGo(addr uint64) (back driverBlock, due bool) {
	p := d.part(hashOf(addr))
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.find(addr)
	if b == nil { // the pool was closed
		return driverBlock{}, false
	}
	b.shares--
	if b.shares > 0 || !b.kept {
		return driverBlock{}, false
	}
	back = *b
	p.used--
	p.kept--
	p.keptBytes -= uint64(b.size)
	p.bytes -= uint64(b.size)
	p.remove(p.cell(hashOf(addr), addr))
	return back, true
}

// found returns a block as the engine hands it out.
func (b *driverBlock) found() foundBlock { return foundBlock{Addr: b.addr, Origin: b.origin} }

// chunk returns a block as the chunk that it is to the source.
func (b *driverBlock) chunk() Chunk { return Chunk{Addr: b.addr, Size: b.size, Origin: b.origin} }

// chunks lists the memory of all blocks. A block is live unless kept.
func (d *DriverBlocks) chunks(see func(b driverBlock)) {
	d.eachBlock(func(p *driverPart) []driverBlock { return slices.Clone(p.cells) }, see)
}

// evict takes all blocks out of the table.
func (d *DriverBlocks) evict(see func(b driverBlock)) {
	d.eachBlock(func(p *driverPart) []driverBlock {
		cells := p.cells
		p.cells, p.used, p.kept, p.live, p.bytes, p.keptBytes = nil, 0, 0, 0, 0, 0
		return cells
	}, see)
}

// eachBlock sees all blocks. It calls cells for the cells of a part with the lock of the part held, and see without it.
func (d *DriverBlocks) eachBlock(cells func(*driverPart) []driverBlock, see func(b driverBlock)) {
	for i := range d.all() {
		p := &d.parts[i]
		p.mu.Lock()
		list := cells(p)
		p.mu.Unlock()
		for _, b := range list {
			if b.addr != 0 {
				see(b)
			}
		}
	}
}

// stop lets no claim succeed, and waits until no caller is between the steps of an allocation or a free. None of these takes the lock of the pool, which the
// caller may hold.
func (d *DriverBlocks) stop() {
	d.bound.Store(0)
	for {
		before, listed := d.reserved.Load(), d.unused.bytes()+d.private.Load()
		for i := range d.all() {
			p := &d.parts[i]
			p.mu.Lock()
			listed += int64(p.bytes)
			p.mu.Unlock()
		}
		if listed == before && d.reserved.Load() == before {
			return
		}
		runtime.Gosched()
	}
}

// Usage counts the blocks. PeakBytes includes rounding. Cost: a lock of each part of the table.
func (d *DriverBlocks) Usage() (all Usage) {
	for i := range d.all() {
		p := &d.parts[i]
		p.mu.Lock()
		all.Live += uint64(p.used - p.kept)
		all.LiveBytes += p.live
		all.Allocs += p.allocs
		all.Occupied += p.bytes - p.keptBytes
		p.mu.Unlock()
	}
	if d.config == nil || d.config.Unmetered {
		all.Allocs = 0
		return all
	}
	all.PeakBytes = uint64(d.peak.Load())
	return all
}

// Shut hands out no more blocks. While blocks are live it changes nothing and reports false, unless force is set.
func (d *DriverBlocks) Shut(force bool) bool {
	open := d.bound.Load()
	d.stop()
	if !force && d.Usage().Live > 0 {
		d.bound.Store(open)
		return false
	}
	return true
}

// The rest makes DriverBlocks a [SharedCore] and a [StreamCore] that has no chunks: the engine frees blocks through take.

// Need returns the size of the allocation for a request.
func (*DriverBlocks) Need(bytes, _ uint64) uint64 { return bytes }

// Add and Remove do nothing: there are no chunks.
func (*DriverBlocks) Add(uint32, uint64, uint64) {}
func (*DriverBlocks) Remove(uint32)              {}

// Used returns 0.
func (*DriverBlocks) Used(uint32) uint64 { return 0 }

// Evict reports true.
func (*DriverBlocks) Evict(uint32) bool { return true }

// Alloc and AllocAny find nothing: each block comes from the driver.
func (*DriverBlocks) Alloc(uint64, uint64) (uint32, uint64, bool)    { return 0, 0, false }
func (*DriverBlocks) AllocAny(uint64, uint64) (uint32, uint64, bool) { return 0, 0, false }

// Free, Undo and Defer know no block.
func (*DriverBlocks) Free(uint64, uint64) (uint32, Verdict) { return 0, Foreign }
func (*DriverBlocks) Undo(uint64, uint64) (uint32, Verdict) { return 0, Foreign }
func (*DriverBlocks) Defer(uint64, uint64) Verdict          { return Foreign }

// Reuse and Reclaim are never called: no block is pending.
func (*DriverBlocks) Reuse(uint64, uint64) (uint32, uint64)    { return 0, 0 }
func (*DriverBlocks) Reclaim(uint64, uint64) (uint32, Verdict) { return 0, Foreign }

// Steal and Flush report false.
func (*DriverBlocks) Steal() bool { return false }
func (*DriverBlocks) Flush() bool { return false }

// Walk sees nothing.
func (*DriverBlocks) Walk(uint32, uint64, func(poolrt.Piece) bool) {}

// driverBlocks returns the table itself, for the engine of a pool whose core contains it.
func (d *DriverBlocks) driverBlocks() *DriverBlocks { return d }
