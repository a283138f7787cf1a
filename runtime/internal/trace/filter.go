package trace

import (
	"math/bits"
	"sync/atomic"
)

// Sizes of a filter, in bits.
const (
	leastBits = 1 << 12
	// bitsPerPlace is how many bits there are at least for each place: of other places, one in so many at most is taken for one of them.
	bitsPerPlace = 256
)

// filter is a set of places that may say of a few others that they are in the set. Any goroutine may ask at any time; changes need a lock of the caller.
//
// A goroutine that asks about a place in the set came to know of it after it was added. So an answer from a filter that has just been replaced is right, too.
type filter struct {
	shift  uint8 // from a hash to the number of its bit
	bits   []atomic.Uint64
	places int
	more   map[uint64]int // number of places beyond the first, for bits that several places have
}

// newFilter returns an empty filter for so many places.
func newFilter(places int) *filter {
	n := bits.Len(uint(max(leastBits, places*bitsPerPlace) - 1))
	return &filter{shift: uint8(64 - n), bits: make([]atomic.Uint64, 1<<n/64), more: map[uint64]int{}}
}

// full reports whether another place needs a larger filter.
func (f *filter) full() bool { return (f.places+1)*bitsPerPlace > len(f.bits)*64 }

// bit returns the number of the bit of a place.
func (f *filter) bit(place uint64) uint64 { return place * 0x9E3779B97F4A7C15 >> (f.shift & 63) }

// has reports whether the place may be in the set. It is inlined into the fast path of a free.
func (f *filter) has(place uint64) bool {
	b := f.bit(place)
	word := b / 64
	return word < uint64(len(f.bits)) && f.bits[word].Load()>>(b&63)&1 != 0
}

// add adds a place that is not in the set.
func (f *filter) add(place uint64) {
	f.places++
	if f.has(place) {
		f.more[f.bit(place)]++
		return
	}
	b := f.bit(place)
	f.bits[b/64].Or(1 << (b & 63))
}

// remove removes a place that is in the set.
func (f *filter) remove(place uint64) {
	f.places--
	b := f.bit(place)
	switch f.more[b] {
	case 0:
		f.bits[b/64].And(^uint64(1 << (b & 63)))
	case 1:
		delete(f.more, b)
	default:
		f.more[b]--
	}
}
