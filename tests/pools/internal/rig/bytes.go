package rig

import "unsafe"

// BytesOf is an item as bytes; nil for nil.
func BytesOf[T any](item *T) []byte {
	if item == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(item)), unsafe.Sizeof(*item))
}

// ItemOf is the item that begins where bytes begin.
func ItemOf[T any](b []byte) *T { return (*T)(unsafe.Pointer(unsafe.SliceData(b))) }
