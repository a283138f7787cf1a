package slabs

import (
	"testing"
	"unsafe"
)

// The head of a slab and each line fill a cache line. Where pointers have 4 bytes, the head is smaller.
func TestLayout(t *testing.T) {
	const cacheLine = 64
	head, size := unsafe.Offsetof(slab{}.near), unsafe.Sizeof(slab{})
	if n := unsafe.Sizeof(line{}); n != cacheLine {
		t.Errorf("a line is %d bytes", n)
	}
	if unsafe.Sizeof(uintptr(0)) == 8 && (head != cacheLine || size%cacheLine != 0) {
		t.Errorf("a slab is %d bytes, and its head %d", size, head)
	}
}
