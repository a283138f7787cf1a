package slabs

import (
	"testing"
	"unsafe"
)

func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(slab{}); n != 256 {
		t.Errorf("a slab is %d bytes", n)
	}
}
