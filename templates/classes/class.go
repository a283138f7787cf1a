package classes

import (
	"math/bits"
)

// octaves has, for each k, the first class of more than 2^(k-1) bytes: the search for a request of up to 2^k bytes starts there.
var octaves = firstOfOctave()

func firstOfOctave() (first [65]uint16) {
	for k := 1; k < len(first); k++ {
		i := first[k-1]
		for int(i) < len(bins) && bins[i] <= 1<<(k-1) {
			i++
		}
		first[k] = i
	}
	return first
}

// classOf returns the class of a request, len(bins) if it has none. It tries the classes of one power of two in turn; if all classes are
// powers of two, the first one fits. There is no class if the block would be larger than the request by more than the heap can store.
func (c *Core) classOf(bytes uint64) int {
	k := int(octaves[bits.Len64(bytes-1)])
	for k < len(bins) && bins[k] < bytes {
		k++
	}
	if k < len(bins) && bins[k]-bytes > c.space.MaxSlack() {
		return len(bins)
	}
	return k
}
