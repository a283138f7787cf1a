package heap

import "unsafe"

// nodeSet is a set of nodes, with a bit for each.
type nodeSet []uint64

// word returns the word with the bit of a node. No number comes from a caller, so all are within bounds.
func (x nodeSet) word(i uint32) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), uintptr(i/64)*8))
}

// has reports whether a node is in the set.
func (x nodeSet) has(i uint32) bool { return *x.word(i)>>(i%64)&1 != 0 }

// add puts a node into the set.
func (x nodeSet) add(i uint32) { *x.word(i) |= 1 << (i % 64) }

// remove takes a node out of the set.
func (x nodeSet) remove(i uint32) { *x.word(i) &^= 1 << (i % 64) }

// sized returns the set with room for n nodes.
func (x nodeSet) sized(n int) nodeSet {
	for n > 64*len(x) {
		x = append(x, 0)
	}
	return x
}
