package poolimpl

import "sync"

// driverParts is the number of parts of the table.
const driverParts = 64

// driverPart has the blocks whose addresses hash to it. What each call changes is in one cache line, and what a free adds in the next.
type driverPart struct {
	mu     sync.Mutex
	cells  []driverBlock // open addressing; the length is a power of two, and at most three quarters are in use; no process may use the block of an empty one
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

// added counts a block that was put into a cell.
func (p *driverPart) added(bytes uint64, size int64) {
	p.used++
	p.live += bytes
	p.bytes += uint64(size)
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

// followed reports whether a block is in the next cell. If not, a cell whose block no process may use is emptied by its address alone.
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
	p.cells[hole] = driverBlock{}
}

// recentIndex is the place in driverPart.recent of the addresses with a hash.
func recentIndex(hash uint64) uint64 { return hash >> 55 & 7 }

// found returns a block as the engine hands it out.
func (b *driverBlock) found() foundBlock { return foundBlock{Addr: b.addr, Origin: b.origin} }

// chunk returns a block as the chunk that it is to the source.
func (b *driverBlock) chunk() Chunk { return Chunk{Addr: b.addr, Size: b.size, Origin: b.origin} }
