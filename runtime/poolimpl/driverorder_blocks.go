package poolimpl

import (
	"runtime"
	"slices"
	"sync/atomic"

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
	watched   bool        // there is a soft limit or a budget
	crowded   atomic.Bool // callers have met lately
}

// begin takes the settings, and makes the table.
func (d *DriverBlocks) begin(c *Config, m *budget.Member) {
	d.config, d.parts = c, new([driverParts]driverPart)
	d.terms = driverTerms{alignment: c.Alignment, mask: max(c.Granularity, 1) - 1}
	d.enter(m)
}

// enter takes the place of the pool in its budget.
func (d *DriverBlocks) enter(m *budget.Member) {
	d.budget, d.terms.watched = m, d.config.SoftLimit > 0 || m != nil
}

// insert makes a block live, and counts so many allocations.
func (d *DriverBlocks) insert(b *driverBlock, allocs uint64) {
	p, cell := d.open(b.addr)
	*cell = *b
	p.allocs += allocs
	p.added(b.bytes, b.size)
	p.mu.Unlock()
}

// open locks the part of an address, and returns the cell for a block there.
func (d *DriverBlocks) open(addr uint64) (*driverPart, *driverBlock) {
	hash := hashOf(addr)
	p := d.part(hash)
	p.mu.Lock()
	if 4*(p.used+1) > 3*len(p.cells) {
		p.grow()
	}
	return p, &p.cells[p.cell(hash, addr)]
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

// ResetPeak implements [PeakCore].
func (d *DriverBlocks) ResetPeak() { d.peak.Store(d.reserved.Load()) }

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

// driverOrder returns the table itself, for the engine of a pool whose core contains it.
func (d *DriverBlocks) driverOrder() driverOrder { return d }
