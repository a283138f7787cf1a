package binned

import "math/bits"

// pages leads from an address to its slab, at a cost that does not depend on the number of chunks: a hash table of regions of a few pages,
// with chains through the regions. A region is there as long as slabs have pages of it.
type pages struct {
	bucket  []uint32 // first region of each chain; a power of two
	shift   uint32   // 64 minus the bits of a bucket's number
	count   uint32   // regions in the table
	unused  uint32   // first of the unused regions, a list through next
	regions []region // region 0 ends the chains; its pages have no slab
}

// region is a row of pages that starts at a multiple of its size.
type region struct {
	number uint64 // address / regionBytes
	next   uint32
	owned  uint32 // pages that have a slab
	slab   [regionPages]uint32
}

const (
	regionPages = 16
	regionBytes = regionPages * page
	minBuckets  = 16
)

// spread is 2^64 divided by the golden ratio: products of numbers with it differ in their high bits (Knuth, The Art of Computer Programming
// 3, section 6.4).
const spread = 0x9E3779B97F4A7C15

// find returns the slab of the page that an address lies on, 0 if the page has none.
func (p *pages) find(addr uint64) uint32 {
	return p.regions[p.region(addr/regionBytes)].slab[addr/page%regionPages]
}

// region returns the region of that number, 0 if it is not there. Region 0 gets the number before the search, which then always ends with a
// match.
func (p *pages) region(number uint64) uint32 {
	p.regions[0].number = number
	i := p.bucket[p.hash(number)]
	for p.regions[i].number != number {
		i = p.regions[i].next
	}
	return i
}

// hash returns the bucket of a region.
func (p *pages) hash(number uint64) uint64 { return number * spread >> (p.shift & 63) }

// setPages makes a slab the owner of the pages that the range [addr, addr+size) begins or covers.
func (p *pages) setPages(addr, size uint64, id uint32) {
	for at, last := addr/page, (addr+size-1)/page; at <= last; at++ {
		i := p.region(at / regionPages)
		if i == 0 {
			i = p.addRegion(at / regionPages)
		}
		p.regions[i].slab[at%regionPages] = id
		p.regions[i].owned++
	}
}

// clearPages undoes setPages.
func (p *pages) clearPages(addr, size uint64) {
	for at, last := addr/page, (addr+size-1)/page; at <= last; at++ {
		i := p.region(at / regionPages)
		d := &p.regions[i]
		d.slab[at%regionPages] = 0
		if d.owned--; d.owned == 0 {
			p.removeRegion(i)
		}
	}
}

// addRegion adds a region.
func (p *pages) addRegion(number uint64) uint32 {
	if p.count == uint32(len(p.bucket))/2 {
		p.grow()
	}
	p.count++
	i := p.unused
	if i != 0 {
		p.unused = p.regions[i].next
	} else {
		i = uint32(len(p.regions))
		p.regions = append(p.regions, region{})
	}
	first := &p.bucket[p.hash(number)]
	p.regions[i].number, p.regions[i].next = number, *first
	*first = i
	return i
}

// removeRegion removes a region.
func (p *pages) removeRegion(i uint32) {
	d := &p.regions[i]
	link := &p.bucket[p.hash(d.number)]
	for *link != i {
		link = &p.regions[*link].next
	}
	*link = d.next
	p.count--
	d.next, p.unused = p.unused, i
}

// grow doubles the buckets, to two or more for each region.
func (p *pages) grow() {
	old := p.bucket
	p.bucket = make([]uint32, max(minBuckets, 2*len(old)))
	p.shift = 64 - uint32(bits.TrailingZeros(uint(len(p.bucket))))
	for _, i := range old {
		for i != 0 {
			d := &p.regions[i]
			first := &p.bucket[p.hash(d.number)]
			next := d.next
			d.next, *first = *first, i
			i = next
		}
	}
}
