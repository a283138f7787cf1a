//go:build cudasim

package sim

import (
	"encoding/binary"
	"math/bits"
)

// View is a view of a pool with device_view: fixed in a kernel that is a Go function. Its methods do to the view what the functions of the pool's C header do.
type View struct {
	l              *Launch
	at             uint64
	base, distance uint64
	count          uint32
	counts, bits   uint64 // offsets
	top            uint64
	next           uint32 // the word that Alloc looks at first
}

// Offsets in a view and in its counts, as the C header asserts them.
const (
	viewHead     = 56
	viewFree     = 128
	viewAllocs   = 0
	viewFrees    = 8
	viewFailures = 16
	viewBadFrees = 24
)

// NewView returns the view at an address, which Addr of the pool's view has returned.
func NewView(l *Launch, addr uint64) *View {
	var head [viewHead]byte
	l.Read(head[:], addr)
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(head[at:]) }
	return &View{
		l: l, at: addr, base: u64(0), distance: u64(8), count: binary.LittleEndian.Uint32(head[16:]),
		counts: addr + u64(32), bits: addr + u64(40), top: addr + u64(48),
	}
}

// Alloc returns the address of an item, or 0 if no item is free.
func (v *View) Alloc() uint64 {
	free := int32(v.word(v.at+viewFree, 0))
	for left := v.count / 32; left > 0 && free > 0; left-- {
		word := v.next % (v.count / 32)
		if set := v.word(v.bits, word); set != 0 {
			bit := uint32(bits.TrailingZeros32(set))
			v.setWord(v.bits, word, set&^(1<<bit))
			v.setWord(v.at+viewFree, 0, uint32(free-1))
			v.tally(viewAllocs)
			return v.base + v.distance*uint64(32*word+bit)
		}
		v.next = word + 1
	}
	v.tally(viewFailures)
	return 0
}

// Free frees an item. It returns false, and changes nothing but a count, if that is not a live item of the view.
func (v *View) Free(item uint64) bool {
	index, ok := v.Index(item)
	word, bit := uint32(index)/32, uint32(1)<<(index%32)
	if !ok || v.word(v.bits, word)&bit != 0 {
		v.tally(viewBadFrees)
		return false
	}
	v.setWord(v.bits, word, v.word(v.bits, word)|bit)
	v.setWord(v.top, word/32, v.word(v.top, word/32)|1<<(word%32))
	v.setWord(v.at+viewFree, 0, v.word(v.at+viewFree, 0)+1)
	v.tally(viewFrees)
	return true
}

// Index returns the index of an item, from 0 on; ok is false if that is not an item of the view.
func (v *View) Index(item uint64) (index int, ok bool) {
	if v.distance == 0 || item < v.base || (item-v.base)%v.distance != 0 || (item-v.base)/v.distance >= uint64(v.count) {
		return 0, false
	}
	return int((item - v.base) / v.distance), true
}

// word reads a word of a table.
func (v *View) word(table uint64, i uint32) uint32 {
	var b [4]byte
	v.l.Read(b[:], table+4*uint64(i))
	return binary.LittleEndian.Uint32(b[:])
}

func (v *View) setWord(table uint64, i, value uint32) {
	v.l.Write(table+4*uint64(i), binary.LittleEndian.AppendUint32(nil, value))
}

// tally adds 1 to a count.
func (v *View) tally(what uint64) {
	var b [8]byte
	v.l.Read(b[:], v.counts+what)
	v.l.Write(v.counts+what, binary.LittleEndian.AppendUint64(nil, binary.LittleEndian.Uint64(b[:])+1))
}
