package trace

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Sizes of a filter, in bits.
const (
	leastBits = 1 << 12
	mostBits  = 30 // as a power of two
	// bitsPerPlace is how many bits there are at least for each place: of other places, one in so many at most is taken for one of them.
	bitsPerPlace = 256
)

// filter is a set of places that may say of a few others that they are in the set. Any goroutine may ask at any time; changes need a lock of the caller.
//
// A goroutine that asks about a place in the set came to know of it after it was added. So an answer from a filter that has just been replaced is right, too.
type filter struct {
	mask   uint64         // of the numbers of the bits
	words  unsafe.Pointer // the bits, mask+1 of them, as atomic.Uint64
	places int
	more   map[uint64]int // number of places beyond the first, for bits that several places have
}

// newFilter returns an empty filter for so many places.
func newFilter(places int) *filter {
	n := min(bits.Len(uint(max(leastBits, places*bitsPerPlace)-1)), mostBits)
	words := make([]atomic.Uint64, 1<<n/64)
	return &filter{mask: 1<<n - 1, words: unsafe.Pointer(unsafe.SliceData(words)), more: map[uint64]int{}}
}

// full reports whether another place needs a larger filter.
func (f *filter) full() bool {
	return uint64(f.places)*bitsPerPlace > f.mask-bitsPerPlace && f.mask != 1<<mostBits-1
}

// bit returns the number of the bit of a place.
func (f *filter) bit(place uint64) uint64 { return place * 0x9E3779B97F4A7C15 >> 32 & f.mask }

// word returns the word that has a bit.
func (f *filter) word(bit uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(f.words, bit/64*8))
}

// has reports whether the place may be in the set. It is inlined into the fast path of a free.
func (f *filter) has(place uint64) bool {
	b := f.bit(place)
	return f.word(b).Load()&(1<<(b&63)) != 0
}

// add adds a place that is not in the set.
func (f *filter) add(place uint64) {
	f.places++
	if f.has(place) {
		f.more[f.bit(place)]++
		return
	}
	b := f.bit(place)
	f.word(b).Or(1 << (b & 63))
}

// remove removes a place that is in the set.
func (f *filter) remove(place uint64) {
	f.places--
	b := f.bit(place)
	switch f.more[b] {
	case 0:
		f.word(b).And(^uint64(1 << (b & 63)))
	case 1:
		delete(f.more, b)
	default:
		f.more[b]--
	}
}
