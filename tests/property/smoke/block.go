package smoke

import (
	"reflect"
	"slices"
	"unsafe"
)

// block is what one allocation returned.
type block struct {
	value reflect.Value
	addr  uint64
	bytes uint64
	mark  uint64 // seed of its contents
}

// block reads the address and the length of what an allocation of n items returned.
func (tr *trial) block(v reflect.Value, n int) block {
	tr.t.Helper()
	tr.serial++
	b := block{value: v, mark: tr.serial * 0x9e3779b97f4a7c15}
	switch {
	case tr.Numbers && tr.item():
		b.addr, b.bytes = v.Uint(), 1
	case tr.Numbers:
		b.addr = v.MethodByName("First").Call(nil)[0].Uint()
		b.bytes = uint64(v.MethodByName("Len").Call(nil)[0].Int())
		n64 := uint64(n)
		if b.bytes != n64 || v.MethodByName("At").Call([]reflect.Value{reflect.ValueOf(n - 1)})[0].Uint() != b.addr+n64-1 {
			tr.errorf("asked for %d numbers, got %d", n, b.bytes)
		}
	case tr.item():
		b.addr, b.bytes = uint64(v.Pointer()), uint64(v.Type().Elem().Size())
		tr.aligned(b, v.Type().Elem())
	default:
		b.addr, b.bytes = uint64(v.Pointer()), uint64(v.Len())*uint64(v.Type().Elem().Size())
		tr.aligned(b, v.Type().Elem())
		if v.Len() != n || v.Cap() != n {
			tr.errorf("asked for %d items, got %d of %d", n, v.Len(), v.Cap())
		}
	}
	return b
}

func (tr *trial) aligned(b block, item reflect.Type) {
	tr.t.Helper()
	if align := max(uint64(tr.Align), uint64(item.Align())); b.addr == 0 || b.addr%align != 0 {
		tr.errorf("a block at %#x is not aligned to %d", b.addr, align)
	}
}

// edges calls f with the bytes of the block that are written and compared: all, or those at both ends and in the middle.
func (tr *trial) edges(b block, f func(offset uint64, p []byte)) {
	if tr.Numbers {
		return
	}
	all := unsafe.Slice((*byte)(b.value.UnsafePointer()), b.bytes)
	const edge = 256
	if b.bytes <= 8*edge {
		f(0, all)
		return
	}
	for _, at := range []uint64{0, b.bytes / 2, b.bytes - edge} {
		f(at, all[at:at+edge])
	}
}

// write fills the block with contents of its own.
func (tr *trial) write(b block) {
	tr.edges(b, func(offset uint64, p []byte) {
		for i := range p {
			p[i] = content(b.mark, offset+uint64(i))
		}
	})
}

// intact checks that the block has the contents of write.
func (tr *trial) intact(b block) {
	tr.t.Helper()
	tr.edges(b, func(offset uint64, p []byte) {
		for i := range p {
			if p[i] != content(b.mark, offset+uint64(i)) {
				tr.fatalf("the block of %d bytes at %#x has changed at %d", b.bytes, b.addr, offset+uint64(i))
			}
		}
	})
}

// zero checks that the block is zero.
func (tr *trial) zero(b block) {
	tr.t.Helper()
	tr.edges(b, func(offset uint64, p []byte) {
		for i := range p {
			if p[i] != 0 {
				tr.fatalf("the block of %d bytes at %#x is not zero at %d", b.bytes, b.addr, offset+uint64(i))
			}
		}
	})
}

func content(mark, offset uint64) byte { return byte((mark ^ offset*0xbf58476d1ce4e5b9) >> 56) }

// disjoint checks that no two live blocks overlap.
func (tr *trial) disjoint() {
	tr.t.Helper()
	order := slices.Clone(tr.live)
	slices.SortFunc(order, func(a, b block) int {
		if a.addr < b.addr {
			return -1
		}
		return 1
	})
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; a.addr+a.bytes > b.addr {
			tr.fatalf("the block of %d bytes at %#x overlaps that at %#x", a.bytes, a.addr, b.addr)
		}
	}
}
