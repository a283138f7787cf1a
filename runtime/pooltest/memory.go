package pooltest

import "unsafe"

// ItemMemory returns the bytes of a block that is one item.
func ItemMemory[T any](block *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(block)), unsafe.Sizeof(*block))
}

// SpanMemory returns the bytes of a block of items.
func SpanMemory[T any](block []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(block))), uintptr(len(block))*unsafe.Sizeof(*new(T)))
}

// MemoryExtent is where bytes lie.
func MemoryExtent(bytes []byte) Extent {
	return Extent{Start: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))), Length: uint64(len(bytes))}
}

// edge is how much of each end of a block is written and compared.
const edge = 128

// ends are the parts of a block that are written and compared: all of a small one.
func ends(bytes []byte) [2][]byte {
	if len(bytes) <= 2*edge {
		return [2][]byte{bytes}
	}
	return [2][]byte{bytes[:edge], bytes[len(bytes)-edge:]}
}

// mark writes what tells a block from others.
func mark(bytes []byte, serial uint64) {
	for k, part := range ends(bytes) {
		for i := range part {
			part[i] = content(serial, k, i)
		}
	}
}

// marked reports whether a block is as mark has left it.
func marked(bytes []byte, serial uint64) bool {
	for k, part := range ends(bytes) {
		for i := range part {
			if part[i] != content(serial, k, i) {
				return false
			}
		}
	}
	return true
}

// cleared reports whether a block is zero.
func cleared(bytes []byte) bool {
	for _, part := range ends(bytes) {
		for _, b := range part {
			if b != 0 {
				return false
			}
		}
	}
	return true
}

func content(serial uint64, part, i int) byte {
	return byte((serial*0x9e3779b97f4a7c15 ^ uint64(part+2*i+1)*0xbf58476d1ce4e5b9) >> 56)
}
