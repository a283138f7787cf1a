package cuda

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The front of a view, as the C headers of pools declare it and assert: poolgen_fixed_view, the counts, and the bits of the items.
const (
	fixedVersion = 1   // of the layout
	fixedHead    = 56  // bytes that the host writes and kernels only read
	fixedFree    = 128 // offset of the number of free items
	fixedCounts  = 256 // offset of the counts
	fixedStripes = 64  // so many counts, each in a line
	fixedLine    = 128 // bytes of a line
	fixedBits    = fixedCounts + fixedStripes*fixedLine

	// fixedMost bounds the items of a view: their number is an int32 in kernels.
	fixedMost = 1<<31 - 32
)

// fixedLayout says where the parts of a view are. The offsets are from its address.
type fixedLayout struct {
	count    int64 // items, a multiple of 32
	item     int64 // bytes of an item
	distance int64 // of items
	words    int64 // with the bits of items
	top      int64 // offset of the words with the bits of those words
	items    int64 // offset of the first item
}

// layFixed lays out n items. It reports false if no memory has room for them.
func layFixed(n int, item, align int64) (l fixedLayout, ok bool) {
	if n <= 0 || n > fixedMost {
		return fixedLayout{}, false
	}
	l.count, l.item, l.distance = up(int64(n), 32), item, up(item+zone(), align)
	l.words = l.count / 32
	l.top = up(fixedBits+4*l.words, fixedLine)
	l.items = up(l.top+4*((l.words+31)/32), max(align, 2*fixedLine))
	high, low := bits.Mul64(uint64(l.count), uint64(l.distance))
	return l, high == 0 && low < 1<<62
}

// bytes returns the length of the view.
func (l *fixedLayout) bytes() int64 { return l.items + l.count*l.distance }

// head returns the bytes at Addr that kernels only read.
func (v FixedView) head() []byte {
	l := &v.layout
	b := binary.LittleEndian.AppendUint64(nil, uint64(v.Base()))
	b = binary.LittleEndian.AppendUint64(b, uint64(l.distance))
	for _, n := range []int64{l.count, l.words, (l.words + 31) / 32, fixedVersion} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	for _, offset := range []int64{fixedCounts, fixedBits, l.top} {
		b = binary.LittleEndian.AppendUint64(b, uint64(offset))
	}
	return b
}

// counts adds up the counts at the front of a view.
func (v FixedView) counts(front []byte) (c ViewCounts) {
	c.Live = v.Len() - int(int32(binary.LittleEndian.Uint32(front[fixedFree:])))
	for stripe := range fixedStripes {
		at := front[fixedCounts+stripe*fixedLine:]
		for i, n := range []*uint64{&c.Allocs, &c.Frees, &c.Failures, &c.BadFrees} {
			*n += binary.LittleEndian.Uint64(at[8*i:])
		}
	}
	return c
}

// compare returns what contradicts the bits of the items; "" if nothing does.
func (l *fixedLayout) compare(free int32, words, top []uint32) string {
	set := 0
	for i, w := range words {
		set += bits.OnesCount32(w)
		if w != 0 && top[i/32]>>(i%32)&1 == 0 {
			return fmt.Sprintf("items %d to %d are hidden: the bit of their word is 0, and the word is %#x", 32*i, 32*i+31, w)
		}
	}
	if rest := l.words % 32; rest > 0 && top[len(top)-1]>>rest != 0 {
		return fmt.Sprintf("there are bits of words beyond the last: %#x", top[len(top)-1])
	}
	if set != int(free) {
		return fmt.Sprintf("%d items are free by their bits, and %d by their number", set, free)
	}
	return ""
}
