package trace

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/runtime/internal/build"
)

// filter is a set of places that may say of a few others that they are in the set. It is a table with a slot for each hash of a place: mostly the slot says that no
// place has the hash, so that has takes ten instructions. Any goroutine may call has at any time.
//
// A goroutine that asks about a place in the set came to know of the place after it was added. So the answer of a filter that has been replaced is right, too.
type filter struct {
	mask  uint64    // of the numbers of slots
	slots [2]uint32 // changed atomically
	// The other slots follow: the compiler would check the bounds of a slice, and a pointer would have to be loaded.
}

// What a slot has for several places; 0 if it has none, and otherwise the mark of its place, which is larger.
const crowded = 1

// Sizes of a filter, in slots. A place has slotsPerPlace at least, so that two places seldom share one.
const (
	leastSlots    = 1 << 8
	slotsPerPlace = 16
)

// newFilter returns an empty filter for so many places.
func newFilter(places int) *filter {
	n := uint64(1) << bits.Len64(max(leastSlots, uint64(places)*slotsPerPlace)-1)
	f := (*filter)(unsafe.Pointer(unsafe.SliceData(make([]uint64, 1+n/2))))
	f.mask = n - 1
	return f
}

// hash spreads places over slots: its low bits are the number of the slot. The factor is that of Fibonacci hashing for 31 bits, which an instruction can contain.
func hash(place uint64) uint64 { return place * 0x4F1BBCDD >> 32 }

// mark tells places with the same slot apart, as a rule.
func mark(hash uint64) uint32 { return uint32(hash) | 2 }

// slot returns the slot for a hash.
func (f *filter) slot(hash uint64) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(&f.slots), hash&f.mask*4))
}

// has reports whether the place may be in the set. It is inlined into the fast path of a free. A processor reads a slot whole, and whoever has to find a new value
// there has synchronised with its writer. An atomic load would cost two instructions more, for the address.
func (f *filter) has(place uint64) bool {
	if build.Race {
		return f.hasRaced(place)
	}
	h := hash(place)
	w := *f.slot(h)
	return w != 0 && (w == mark(h) || w == crowded)
}

// hasRaced is has for the race detector.
func (f *filter) hasRaced(place uint64) bool {
	h := hash(place)
	w := atomic.LoadUint32(f.slot(h))
	return w == mark(h) || w == crowded
}

// places is a filter with what it takes to change it. The caller holds a lock.
type places struct {
	*filter
	count  int
	shared map[uint64]int // number of places of each crowded slot, by the number of the slot; once crowded, a slot is so until it has none
}

// fits reports whether the filter is large enough for another place.
func (p *places) fits() bool {
	return p.filter != nil && uint64(p.count) < (p.mask+1)/slotsPerPlace
}

// add adds a place that is not in the set, to a filter that it fits.
func (p *places) add(place uint64) {
	p.count++
	h := hash(place)
	s, number := p.slot(h), h&p.mask
	switch *s {
	case 0:
		atomic.StoreUint32(s, mark(h))
	case crowded:
		p.shared[number]++
	default:
		p.shared[number] = 2
		atomic.StoreUint32(s, crowded)
	}
}

// remove removes a place that is in the set.
func (p *places) remove(place uint64) {
	p.count--
	h := hash(place)
	s, number := p.slot(h), h&p.mask
	if p.shared[number] > 1 {
		p.shared[number]--
		return
	}
	delete(p.shared, number)
	atomic.StoreUint32(s, 0)
}
