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

// OutputVersion1 lets output of poolgen compile that fits this package. When a later runtime cannot serve it any more, the name
// is gone, and the output has to be generated again.
const OutputVersion1 = true
