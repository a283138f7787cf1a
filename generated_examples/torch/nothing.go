package main

import "C"

// torchNothing is what a call from C costs that does nothing.
//
//export torchNothing
func torchNothing(size int64) uintptr { return uintptr(size) }
