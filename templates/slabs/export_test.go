package slabs

import (
	"strconv"
	"testing"
	"unsafe"
)

// A slab fills whole cache lines, where pointers have 8 bytes.
func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(slab{}); strconv.IntSize == 64 && n != 256 {
		t.Errorf("a slab is %d bytes", n)
	}
}
