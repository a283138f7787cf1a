package rig

import "unsafe"

// BytesOf returns an item as bytes; nil for nil.
func BytesOf[T any](item *T) []byte {
	if item == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(item)), unsafe.Sizeof(*item))
}

// ItemOf returns the item at the start of bytes.
func ItemOf[T any](b []byte) *T { return (*T)(unsafe.Pointer(unsafe.SliceData(b))) }
