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

// MemoryExtent returns the extent of bytes in memory.
func MemoryExtent(bytes []byte) Extent {
	return Extent{Start: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))), Length: uint64(len(bytes))}
}

// edge is the number of bytes at each end of a block that are written and compared.
const edge = 128

// ends returns the parts of a block that are written and compared. Of a small block that is all of it.
func ends(bytes []byte) [2][]byte {
	if len(bytes) <= 2*edge {
		return [2][]byte{bytes}
	}
	return [2][]byte{bytes[:edge], bytes[len(bytes)-edge:]}
}

// mark writes bytes that are different for each serial number.
func mark(bytes []byte, serial uint64) {
	for k, part := range ends(bytes) {
		for i := range part {
			part[i] = content(serial, k, i)
		}
	}
}

// marked reports whether a block has the bytes that mark has written.
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

// cleared reports whether the bytes of a block are zero.
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

// content returns the byte at index i of one end of a block.
func content(serial uint64, part, i int) byte {
	return byte((serial*0x9e3779b97f4a7c15 ^ uint64(part+2*i+1)*0xbf58476d1ce4e5b9) >> 56)
}
