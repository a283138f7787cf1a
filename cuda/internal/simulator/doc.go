// Package simulator is the CUDA driver in plain Go, as package cuda sees it: it implements the whole function table of package abi, without
// a GPU, without cgo and without anything random that a seed does not decide. Package cuda uses it in builds with the tag cudasim; its own
// tests, and those of what stands on the table, need no tag.
//
// All work is a graph of operations. A call puts an operation behind those that it has to come after (the last one of its stream, what its stream waits
// for, what the legacy default stream orders) and a schedule runs any operation that waits for nothing. So every order that a GPU could take can happen,
// and no other. Each operation also has a vector clock, by which memory pools decide what may be used again and package hazard finds uses that nothing
// orders.
//
// Addresses of devices are numbers; their memory is made page by page, as it is written. One lock covers everything: the simulator is meant to be correct,
// not fast.
package simulator
