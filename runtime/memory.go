package runtime

import "unsafe"

// unsafeBytes views memory as bytes.
func unsafeBytes(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }
