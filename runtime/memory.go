package runtime

import "unsafe"

// unsafeBytes views memory as bytes.
func unsafeBytes(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }

// NoCopy makes vet report copies of the struct that holds it.
type NoCopy struct{}

// Lock does nothing; vet looks for it.
func (*NoCopy) Lock() {}

// Unlock does nothing.
func (*NoCopy) Unlock() {}
