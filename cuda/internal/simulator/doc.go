// Package simulator is the CUDA driver in plain Go: it implements the whole function table of package abi, without a GPU and without cgo. A seed
// decides everything random. Package cuda uses it in builds with the tag cudasim; tests of this package, and of packages above the table, need no
// tag.
//
// All work is a graph of operations. A call adds an operation after those that must precede it (the last one of its stream, the events that its
// stream waits for, the operations that the legacy default stream orders), and a schedule runs any operation that waits for nothing. Every order that
// a GPU could take can happen, and no other. Each operation also has a vector clock, by which memory pools decide what may be reused, and by which
// package hazard finds unordered uses.
//
// Addresses of devices are numbers; their memory is allocated page by page, when it is written. One lock covers everything: the simulator is meant to
// be correct, not fast.
package simulator
